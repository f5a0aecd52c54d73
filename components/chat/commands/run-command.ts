import { Mutex } from 'async-mutex';
import { toast } from 'sonner';
import { mutate } from 'swr';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { downloadFile } from '#components/api/download-file.ts';
import { paths } from '#components/api/paths.ts';
import { summaryText } from '#components/message-text.ts';
import { redoOne } from '#components/changes/undo-actions.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import type { CommandName, Invocation } from '#components/chat/commands/commands.ts';
import { undoableKey } from '#components/chat/commands/use-command-state.ts';
import { chatSession, stopAnswer } from '#components/chat/session/chat-sessions.ts';
import { chooseModel } from '#components/chat/models/model-choice.ts';
import { updateSession } from '#components/chat/session-list/use-sessions.ts';
import { compactNow, undoCompaction } from '#components/context/compaction-notices.ts';
import type { WorkspaceActions } from '#components/workspace/workspace-actions.ts';
import {
  ADMIN_PATH,
  goTo,
  HOME_PATH,
  LIBRARY_CHANGES_PATH,
  LIBRARY_MEDIA_PATH,
  LIBRARY_MESSAGES_PATH,
  LIBRARY_SITE_PATH,
  LIBRARY_TRASH_PATH,
} from '#components/workspace/navigation.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';

const t = translator('command');
const tChanges = translator('changes');

/** Parts of the workspace that commands act on. */
export interface CommandContext {
  readonly sessionId: string | null;
  readonly workspace: WorkspaceActions;
  /** Opens the search over conversations with this query. */
  readonly search: (words: string) => void;
  readonly openHelp: () => void;
  /** Opens another page than the workspace. */
  readonly openPage: (path: string) => void;
  readonly setTheme: (theme: string) => void;
  readonly nameOfModel: (modelId: string) => string;
}

type Run = (context: CommandContext, argument: string) => void | Promise<void>;
const inSession =
  (run: (sessionId: string, argument: string) => void | Promise<void>): Run =>
  ({ sessionId }, argument) =>
    sessionId === null ? undefined : run(sessionId, argument);

const runs: Readonly<Record<CommandName, Run>> = {
  compact: inSession((id, instructions) => compactNow(chatSession(id), instructions === '' ? undefined : instructions)),
  prune: inSession(async (id) => {
    const { outputsPruned } = await api.prune(id);
    // The event shows the toast about cleared outputs in every tab.
    if (outputsPruned === 0) toast(t('nothingToClear'));
  }),
  undo: inSession((id) => undoing.runExclusive(() => undo(id))),
  new: ({ workspace }) => {
    goTo(HOME_PATH);
    workspace.focusComposer();
  },
  export: inSession((id, format) => downloadFile(paths.export(id, format === 'json' ? 'json' : 'markdown'))),
  model: async ({ sessionId, nameOfModel }, modelId) => {
    await chooseModel(sessionId, modelId);
    toast(t('modelChosen', { name: nameOfModel(modelId) }));
  },
  stop: inSession((id) => stopAnswer(chatSession(id))),
  rename: inSession(async (id, title) => {
    await updateSession(id, { title });
    toast(t('renamed'));
  }),
  search: ({ search }, words) => search(words),
  preview: ({ workspace }) => workspace.togglePreview(),
  theme: ({ setTheme }, theme) => setTheme(theme),
  help: ({ openHelp }) => openHelp(),
  changes: ({ sessionId, workspace, openPage }) =>
    sessionId === null ? openPage(LIBRARY_CHANGES_PATH) : workspace.showHistory(null),
  done: ({ workspace }) => workspace.showEndOfDay(),
  media: ({ openPage }) => openPage(LIBRARY_MEDIA_PATH),
  messages: ({ openPage }) => openPage(LIBRARY_MESSAGES_PATH),
  site: ({ openPage }) => openPage(LIBRARY_SITE_PATH),
  trash: ({ openPage }) => openPage(LIBRARY_TRASH_PATH),
  admin: ({ openPage }) => openPage(ADMIN_PATH),
};

/** Runs a command and reports failures. */
export async function runCommand({ name, argument }: Invocation, context: CommandContext): Promise<void> {
  try {
    await runs[name](context, argument);
  } catch (error) {
    reportFailure(error);
  } finally {
    if (context.sessionId !== null) void mutate(undoableKey(context.sessionId));
  }
}

/** Runs undos one after the other; otherwise two would undo the same change. */
const undoing = new Mutex();

/** Undoes the newest change, compaction or prune; asks the server first, because the displayed one may be outdated. */
async function undo(sessionId: string): Promise<void> {
  const undoable = await api.undoable(sessionId);
  if (undoable === null) {
    toast(t('whyNot.nothingToUndo'));
    return;
  }
  if (undoable.kind !== 'change') return undoCompaction(chatSession(sessionId), undoable.id);
  const undone = await api.undoChange(undoable.id, sessionId);
  const [change] = undone;
  showWritten(undone);
  toastWithAction(t('undone', { summary: summaryText(undoable) }), tChanges('redo'), () =>
    redoOne(change.id, undoable, sessionId),
  );
}
