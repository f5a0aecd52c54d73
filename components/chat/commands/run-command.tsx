import { Mutex } from 'async-mutex';
import { toast } from '#components/toast';
import { mutate } from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { inYourWords } from '#components/served-words';
import { redoOne } from '#components/changes/undo-actions';
import { showWritten } from '#components/desk/content-cache';
import { changesStrings } from '#components/changes/words';
import type { CommandName, Invocation } from '#components/chat/commands/commands';
import { undoableKey } from '#components/chat/commands/use-command-state';
import { commandStrings } from '#components/chat/commands/words';
import { chatSession, stopAnswer } from '#components/chat/session/chat-sessions';
import { chooseModel } from '#components/chat/models/model-picker';
import { updateSession } from '#components/chat/session/use-sessions';
import { compactNow, undoCompaction } from '#components/context/compaction-notices';
import { askDesk } from '#components/desk/desk-requests';
import {
  ADMIN_PATH,
  goTo,
  HOME_PATH,
  LIBRARY_CHANGES_PATH,
  LIBRARY_MEDIA_PATH,
  LIBRARY_MESSAGES_PATH,
  LIBRARY_SITE_PATH,
  LIBRARY_TRASH_PATH,
} from '#components/desk/navigation';
import { reportFailure, toastWithAction } from '#components/ui/toasts';

/** Parts of the desk that commands act on. */
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
    if (outputsPruned === 0) toast(commandStrings.nothingToClear);
  }),
  undo: inSession((id) => undoing.runExclusive(() => undo(id))),
  new: () => {
    goTo(HOME_PATH);
    askDesk('focus-composer', null);
  },
  export: inSession((id, format) => download(paths.export(id, format === 'json' ? 'json' : 'markdown'))),
  model: async ({ sessionId, nameOfModel }, modelId) => {
    await chooseModel(sessionId, modelId);
    toast(commandStrings.modelChosen(inYourWords(nameOfModel(modelId))));
  },
  stop: inSession((id) => stopAnswer(chatSession(id))),
  rename: inSession(async (id, title) => {
    await updateSession(id, { title });
    toast(commandStrings.renamed);
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
  done: () => {
    askDesk('leave', null);
  },
  media: ({ openPage }) => openPage(LIBRARY_MEDIA_PATH),
  messages: ({ openPage }) => openPage(LIBRARY_MESSAGES_PATH),
  site: ({ openPage }) => openPage(LIBRARY_SITE_PATH),
  trash: ({ openPage }) => openPage(LIBRARY_TRASH_PATH),
  admin: ({ openPage }) => openPage(ADMIN_PATH),
};

/** Runs a command and reports failures. */
export async function runCommand({ name, argument }: Invocation, desk: CommandDesk): Promise<void> {
  try {
    await runs[name](desk, argument);
  } catch (error) {
    reportFailure(error);
  } finally {
    if (desk.sessionId !== null) void mutate(undoableKey(desk.sessionId));
  }
}

/** Undoes one after the other; otherwise two would undo the same. */
const undoing = new Mutex();

/** Undoes the newest change, compaction or prune; asks the server again, because the shown one may be outdated. */
async function undo(sessionId: string): Promise<void> {
  const undoable = await api.undoable(sessionId);
  if (undoable === null) {
    toast(commandStrings.whyNot.nothingToUndo);
    return;
  }
  if (undoable.kind !== 'change') return undoCompaction(chatSession(sessionId), undoable.id);
  const undone = await api.undoChange(undoable.id, sessionId);
  const [change] = undone;
  showWritten(undone);
  toastWithAction(commandStrings.undone(inYourWords(undoable.summary)), changesStrings.redo, () =>
    redoOne(change.id, undoable.summary, sessionId),
  );
}

function download(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
