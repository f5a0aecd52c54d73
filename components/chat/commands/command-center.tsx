'use client';

import { modelName } from '#components/chat/models/model-name.ts';
import { useTheme } from 'next-themes';
import { useRouter } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { CommandsProvider } from '#components/chat/commands/commands-context.ts';
import type { Invocation } from '#components/chat/commands/commands.ts';
import { runCommand } from '#components/chat/commands/run-command.ts';
import { runShortcut } from '#components/chat/commands/run-shortcut.ts';
import { shortcutOf } from '#components/chat/commands/shortcuts.ts';
import { useSessions } from '#components/chat/session-list/use-sessions.ts';
import { CommandPalette } from '#components/chat/commands/command-palette';
import { HelpSheet } from '#components/chat/commands/help-sheet';
import { useUndoRedo } from '#components/editor/actions/undo-redo-provider';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { isApplePlatform } from '#components/ui/keys.ts';
import { useApi } from '#components/api/use-api.ts';

interface CommandCenterProps {
  readonly sessionId: string | null;
  /** Opens the search over conversations with this query. */
  readonly onSearch: (words: string) => void;
  readonly onToggleSidebar: () => void;
  readonly children: ReactNode;
}

/** Runs commands and shortcuts for the whole workspace, and shows their lists. */
export function CommandCenter({ sessionId, onSearch, onToggleSidebar, children }: CommandCenterProps) {
  const [dialog, setDialog] = useState<'palette' | 'help' | null>(null);
  const router = useRouter();
  const { setTheme } = useTheme();
  const { data: models } = useApi(paths.models);
  const { items: sessions } = useSessions();
  const workspace = useWorkspaceActions();
  const undoRedo = useUndoRedo();

  const commands = useMemo(() => {
    const openHelp = () => setDialog('help');
    const context = {
      sessionId,
      workspace,
      search: onSearch,
      openHelp,
      openPage: (path: string) => router.push(path),
      setTheme,
      nameOfModel: (id: string) => modelName({ id, name: models?.items.find((model) => model.id === id)?.name ?? id }),
    };
    return {
      sessionId,
      run: (invocation: Invocation) => runCommand(invocation, context),
      openPalette: () => setDialog('palette'),
      openHelp,
    };
  }, [sessionId, workspace, onSearch, router, setTheme, models]);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.repeat) return;
    const name = shortcutOf(event, { isApple: isApplePlatform(), inField: isField(event.target) });
    if (name === null || (isWithinLayer(event.target) && name !== 'palette' && name !== 'help')) return;
    const context = {
      sessionId,
      sessions: sessions ?? [],
      setDialog,
      toggleSidebar: onToggleSidebar,
      workspace,
      undoRedo,
    };
    if (runShortcut(name, context)) event.preventDefault();
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

/** True inside a dialog or menu over the workspace, which handles its own keys. */
function isWithinLayer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}
