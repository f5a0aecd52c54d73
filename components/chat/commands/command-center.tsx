'use client';

import { useTheme } from 'next-themes';
import { useRouter } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { toast } from 'sonner';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import type { Session } from '#server/core/messages';
import type { ModelList } from '#server/core/settings-report';
import { messageText } from '#components/api/chat-message';
import { CommandsProvider, type Invocation } from '#components/chat/commands/commands';
import { runCommand } from '#components/chat/commands/run-command';
import { type ShortcutName, shortcutOf } from '#components/chat/commands/shortcuts';
import { shortcutStrings } from '#components/chat/commands/words';
import { chatSession } from '#components/chat/session/chat-sessions';
import { useSessions } from '#components/chat/session/use-sessions';
import { askDesk } from '#components/desk/desk-requests';
import { goTo, HOME_PATH, sessionPath } from '#components/desk/navigation';
import { fetchedLater } from '#components/ui/fetched-later';
import { isApplePlatform } from '#components/ui/keys';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';

const CommandPalette = fetchedLater(
  async () => (await import('#components/chat/commands/command-palette')).CommandPalette,
  ({ onClose }) => <HeldKeys onClose={onClose} />,
);
const HelpSheet = fetchedLater(async () => (await import('#components/chat/commands/help-sheet')).HelpSheet);

interface CommandCenterProps {
  readonly sessionId: string | null;
  readonly onShowSidebar: () => void;
  readonly onToggleSidebar: () => void;
  readonly children: ReactNode;
}

/** Runs commands and shortcuts for the whole desk, and shows their lists. */
export function CommandCenter({ sessionId, onShowSidebar, onToggleSidebar, children }: CommandCenterProps) {
  const [dialog, setDialog] = useState<'palette' | 'help' | null>(null);
  const router = useRouter();
  const { setTheme } = useTheme();
  const { data: models } = useSWR<ModelList>(paths.models);
  const { items: sessions } = useSessions();

  const commands = useMemo(() => {
    const openHelp = () => setDialog('help');
    const desk = {
      sessionId,
      showSidebar: onShowSidebar,
      openHelp,
      openPage: (path: string) => router.push(path),
      setTheme,
      nameOfModel: (modelId: string) => models?.items.find(({ id }) => id === modelId)?.name ?? modelId,
    };
    const run = (invocation: Invocation) => void runCommand(invocation, desk);
    return { sessionId, run, openPalette: () => setDialog('palette'), openHelp };
  }, [sessionId, onShowSidebar, router, setTheme, models]);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.repeat) return;
    const name = shortcutOf(event, { isApple: isApplePlatform(), inField: isField(event.target) });
    if (name === null || (isWithinLayer(event.target) && name !== 'palette' && name !== 'help')) return;
    const desk = { sessionId, sessions: sessions ?? [], setDialog, toggleSidebar: onToggleSidebar };
    if (runShortcut(name, desk)) event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);

  const close = useCallback(() => setDialog(null), []);

  return (
    <CommandsProvider value={commands}>
      {children}
      {dialog === 'palette' && <CommandPalette onClose={close} />}
      {dialog === 'help' && <HelpSheet onClose={close} />}
    </CommandsProvider>
  );
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}

/** True inside a dialog or menu over the desk, which handles its keys alone. */
function isWithinLayer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

const EDITING = new Set(['Enter', 'Backspace', 'Delete', 'Escape']);

/**
 * Holds the typed keys for a field that is about to appear; otherwise they would be written, or sent, where the focus
 * still is. Escape gives up waiting.
 */
function HeldKeys({ onClose }: { readonly onClose: () => void }) {
  useEffect(() => {
    const hold = (event: KeyboardEvent) => {
      const isTyped = event.key.length === 1 || EDITING.has(event.key);
      if (!isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Escape') onClose();
    };
    window.addEventListener('keydown', hold, true);
    return () => window.removeEventListener('keydown', hold, true);
  }, [onClose]);
  return null;
}

/** Parts of the desk that shortcuts act on. */
export interface ShortcutDesk {
  readonly sessionId: string | null;
  /** Newest first. */
  readonly sessions: readonly Session[];
  readonly setDialog: (change: (open: 'palette' | 'help' | null) => 'palette' | 'help' | null) => void;
  readonly toggleSidebar: () => void;
}

/** Runs a shortcut. False: it has no meaning now, and the browser gets the key. */
function runShortcut(name: ShortcutName, desk: ShortcutDesk): boolean {
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
