import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { messageText } from '#components/api/chat-message.ts';
import type { ShortcutName } from '#components/chat/commands/shortcuts.ts';
import { chatSession } from '#components/chat/session/chat-sessions.ts';
import { focusSections } from '#components/editor/page/focus-sections.ts';
import type { UndoRedo } from '#components/editor/model/undo-redo.ts';
import type { WorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { goTo, HOME_PATH, sessionPath } from '#components/workspace/navigation.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { Session } from '#server/core/conversation/sessions';

const t = translator('shortcuts');
const tShared = translator('shared');

/** State and actions of the workspace that shortcuts use. */
interface ShortcutContext {
  /** The open conversation; null: none. */
  readonly sessionId: string | null;
  /** The conversations of the sidebar, in any order. */
  readonly sessions: readonly Session[];
  readonly setDialog: (change: (open: 'palette' | 'help' | null) => 'palette' | 'help' | null) => void;
  readonly toggleSidebar: () => void;
  readonly workspace: WorkspaceActions;
  readonly undoRedo: UndoRedo | null;
}

/**
 * Runs a shortcut of the whole workspace.
 * @returns false if it has no effect now, so that the browser handles the key; always false for shortcuts that the
 * composer or the editor handles itself
 */
export function runShortcut(name: ShortcutName, context: ShortcutContext): boolean {
  switch (name) {
    case 'palette':
    case 'help':
      context.setDialog((open) => (open === name ? null : name));
      return true;
    case 'new-conversation':
      goTo(HOME_PATH);
      context.workspace.focusComposer();
      return true;
    case 'next-conversation':
      return step(context, 1);
    case 'previous-conversation':
      return step(context, -1);
    case 'focus-composer':
      context.workspace.focusComposer();
      return true;
    case 'focus-page':
      return focusSections();
    case 'toggle-sidebar':
      context.toggleSidebar();
      return true;
    case 'toggle-preview':
      context.workspace.togglePreview();
      return true;
    case 'undo':
    case 'redo':
      context.undoRedo?.[name]();
      return context.undoRedo !== null;
    case 'stop':
      return stop(context.sessionId);
    case 'copy-answer':
      return copyAnswer(context.sessionId);
    default:
      return false;
  }
}

/**
 * Opens the next or the previous conversation, in the order of their last changes. If none is open, `next` opens the
 * first one.
 */
function step({ sessions, sessionId }: ShortcutContext, by: 1 | -1): boolean {
  const sorted = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const next = sorted[sorted.findIndex(({ id }) => id === sessionId) + by];
  if (next) goTo(sessionPath(next.id));
  return true;
}

function stop(sessionId: string | null): boolean {
  if (sessionId === null || !chatSession(sessionId).isRunning) return false;
  void chatSession(sessionId).stop().catch(reportFailure);
  return true;
}

function copyAnswer(sessionId: string | null): boolean {
  const messages = sessionId === null ? [] : chatSession(sessionId).chat.messages;
  const answer = messages.findLast((message) => message.role === 'assistant' && messageText(message) !== '');
  if (!answer) {
    toast(t('nothingToCopy'));
    return true;
  }
  void copyText(messageText(answer));
  return true;
}

async function copyText(text: string): Promise<void> {
  try {
    // `navigator.clipboard` is undefined on a page served over plain HTTP: this throws, too.
    await navigator.clipboard.writeText(text);
    toast(t('copied'));
  } catch {
    toast.error(tShared('common.copyFailed'));
  }
}
