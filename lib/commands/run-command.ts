import { Mutex } from 'async-mutex';
import { toast } from 'sonner';
import { mutate } from 'swr';
import { api, paths } from '#lib/api/api-client';
import { redoOne, showWritten } from '#lib/changes/undo-actions';
import { chatSession } from '#lib/chat/chat-sessions';
import { compactNow, undoCompaction } from '#lib/chat/compact-now';
import { stopAnswer } from '#lib/chat/stop-answer';
import type { CommandName, Invocation } from '#lib/commands/commands';
import { askDesk } from '#lib/desk/desk-requests';
import {
  ADMIN_PATH,
  HOME_PATH,
  LIBRARY_CHANGES_PATH,
  LIBRARY_MEDIA_PATH,
  LIBRARY_TRASH_PATH,
  goTo,
} from '#lib/desk/navigation';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';
import { toastWithAction } from '#lib/ui/toast-with-action';
import { changesStrings } from '#lib/strings/changes';
import { undoableKey } from '#lib/commands/use-command-state';
import { chooseModel } from '#lib/chat/use-model-choice';
import { renameSession } from '#lib/chat/use-sessions';

/** What a command can reach of the desk. */
export interface CommandDesk {
  readonly sessionId: string | null;
  readonly showSidebar: () => void;
  readonly openHelp: () => void;
  /** Leaves the desk for another page. */
  readonly openPage: (path: string) => void;
  readonly setTheme: (theme: string) => void;
  readonly nameOfModel: (modelId: string) => string;
}

type Run = (desk: CommandDesk, argument: string) => void | Promise<void>;
const inSession =
  (run: (sessionId: string, argument: string) => void | Promise<void>): Run =>
  ({ sessionId }, argument) =>
    sessionId === null ? undefined : run(sessionId, argument);

const runs: Readonly<Record<CommandName, Run>> = {
  compact: inSession((id, instructions) => compactNow(chatSession(id), instructions === '' ? undefined : instructions)),
  prune: inSession(async (id) => {
    const { outputsPruned } = await api.prune(id);
    // Of what was cleared every tab is told by the event.
    if (outputsPruned === 0) toast(strings.commands.nothingToClear);
  }),
  undo: inSession((id) => undoing.runExclusive(() => undo(id))),
  new: () => {
    goTo(HOME_PATH);
    askDesk('focus-composer', null);
  },
  export: inSession((id, format) => download(paths.export(id, format === 'json' ? 'json' : 'markdown'))),
  model: ({ nameOfModel }, modelId) => {
    chooseModel(modelId);
    toast(strings.commands.modelChosen(nameOfModel(modelId)));
  },
  stop: inSession((id) => stopAnswer(chatSession(id))),
  rename: inSession(async (id, title) => {
    await renameSession(id, title);
    toast(strings.commands.renamed);
  }),
  search: ({ showSidebar }, words) => {
    showSidebar();
    askDesk('search', words);
  },
  preview: () => {
    askDesk('toggle-preview', null);
  },
  theme: ({ setTheme }, theme) => setTheme(theme),
  help: ({ openHelp }) => openHelp(),
  changes: ({ openPage }) => {
    if (!askDesk('show-changes', { turnId: null })) openPage(LIBRARY_CHANGES_PATH);
  },
  media: ({ openPage }) => openPage(LIBRARY_MEDIA_PATH),
  trash: ({ openPage }) => openPage(LIBRARY_TRASH_PATH),
  admin: ({ openPage }) => openPage(ADMIN_PATH),
};

/** Does what a command says and tells what came of it. */
export async function runCommand({ name, argument }: Invocation, desk: CommandDesk): Promise<void> {
  try {
    await runs[name](desk, argument);
  } catch (error) {
    reportFailure(error);
  } finally {
    if (desk.sessionId !== null) void mutate(undoableKey(desk.sessionId));
  }
}

/** The next one asks what there is when the one before it is done: else both would take back the same. */
const undoing = new Mutex();

/** Asks anew what there is: since the list was shown, something may have happened. */
async function undo(sessionId: string): Promise<void> {
  const undoable = await api.undoable(sessionId);
  if (undoable === null) {
    toast(strings.commands.whyNot.nothingToUndo);
    return;
  }
  if (undoable.kind !== 'change') return undoCompaction(chatSession(sessionId), undoable.id);
  const change = await api.undoChange(undoable.id, sessionId);
  showWritten([change]);
  toastWithAction(strings.commands.undone(undoable.summary), changesStrings.redo, () =>
    redoOne(change.id, undoable.summary, sessionId),
  );
}

function download(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
