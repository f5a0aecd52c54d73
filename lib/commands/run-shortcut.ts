import { toast } from 'sonner';
import type { SessionItem } from '#lib/api/api-client';
import { messageText } from '#lib/chat/chat-message';
import { chatSession } from '#lib/chat/chat-sessions';
import { askDesk } from '#lib/desk/desk-requests';
import { HOME_PATH, goTo, sessionPath } from '#lib/desk/navigation';
import { reportFailure } from '#lib/ui/report-failure';
import type { ShortcutName } from '#lib/commands/shortcuts';
import { strings } from '#lib/strings';

/** What a shortcut can reach of the desk. */
export interface ShortcutDesk {
  readonly sessionId: string | null;
  /** Newest first. */
  readonly sessions: readonly SessionItem[];
  readonly setDialog: (change: (open: 'palette' | 'help' | null) => 'palette' | 'help' | null) => void;
  readonly toggleSidebar: () => void;
}

/** Does what the shortcut means. False: it means nothing now, and the key is still the browser's. */
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
    case 'stop':
      return stop(desk.sessionId);
    case 'copy-answer':
      return copyAnswer(desk.sessionId);
    default:
      return false;
  }
}

/** From the empty desk on, the list begins with its first. */
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
    toast(strings.shortcuts.nothingToCopy);
    return true;
  }
  void copyText(messageText(answer));
  return true;
}

async function copyText(text: string): Promise<void> {
  try {
    // Not there at all on a page that came over plain HTTP.
    await navigator.clipboard.writeText(text);
    toast(strings.shortcuts.copied);
  } catch {
    toast.error(strings.messageActions.copyFailed);
  }
}
