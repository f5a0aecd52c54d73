import { toast } from '#components/toast';
import { messageText } from '#components/api/chat-message';
import type { ShortcutName } from '#components/chat/commands/shortcuts';
import { shortcutStrings } from '#components/chat/commands/words';
import { chatSession } from '#components/chat/session/chat-sessions';
import { askDesk } from '#components/desk/desk-requests';
import { goTo, HOME_PATH, sessionPath } from '#components/desk/navigation';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';
import type { Session } from '#server/core/sessions';

/** Parts of the desk that shortcuts act on. */
interface ShortcutDesk {
  readonly sessionId: string | null;
  /** Newest first. */
  readonly sessions: readonly Session[];
  readonly setDialog: (change: (open: 'palette' | 'help' | null) => 'palette' | 'help' | null) => void;
  readonly toggleSidebar: () => void;
}

/** Runs a shortcut. False: it has no meaning now, and the browser gets the key. */
export function runShortcut(name: ShortcutName, desk: ShortcutDesk): boolean {
  switch (name) {
    case 'palette':
    case 'help':
      desk.setDialog((open) => (open === name ? null : name));
      return true;
    case 'new-conversation':
      goTo(HOME_PATH);
      askDesk('focus-composer', null);
      return true;
    case 'next-conversation':
      return step(desk, 1);
    case 'previous-conversation':
      return step(desk, -1);
    case 'focus-composer':
      askDesk('focus-composer', null);
      return true;
    case 'toggle-sidebar':
      desk.toggleSidebar();
      return true;
    case 'toggle-preview':
      askDesk('toggle-preview', null);
      return true;
    case 'undo':
    case 'redo':
      return askDesk(name, null);
    case 'stop':
      return stop(desk.sessionId);
    case 'copy-answer':
      return copyAnswer(desk.sessionId);
    default:
      return false;
  }
}

/** From the empty desk, the first step leads to the first conversation. */
function step({ sessions, sessionId }: ShortcutDesk, by: 1 | -1): boolean {
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
    toast(shortcutStrings.nothingToCopy);
    return true;
  }
  void copyText(messageText(answer));
  return true;
}

async function copyText(text: string): Promise<void> {
  try {
    // Not there at all on a page that came over plain HTTP.
    await navigator.clipboard.writeText(text);
    toast(shortcutStrings.copied);
  } catch {
    toast.error(strings.common.copyFailed);
  }
}
