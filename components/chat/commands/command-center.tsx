'use client';

import { useTheme } from 'next-themes';
import { useRouter } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import type { ModelList } from '#server/core/settings-report';
import { CommandsProvider, type Invocation } from '#components/chat/commands/commands';
import { runCommand } from '#components/chat/commands/run-command';
import { runShortcut } from '#components/chat/commands/run-shortcut';
import { shortcutOf } from '#components/chat/commands/shortcuts';
import { useSessions } from '#components/chat/session/use-sessions';
import { fetchedLater } from '#components/ui/fetched-later';
import { isApplePlatform } from '#components/ui/keys';

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
