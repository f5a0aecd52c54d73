import { createContext, useContext } from 'react';
import type { Invocation } from '#components/chat/commands/commands';

/** The commands as any part of the desk can use them. */
export interface Commands {
  /** Conversation on screen; null on the empty desk. */
  readonly sessionId: string | null;
  readonly run: (invocation: Invocation) => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const CommandsContext = createContext<Commands | null>(null);

export const CommandsProvider = CommandsContext.Provider;

/** Throws outside of the desk. */
export function useCommands(): Commands {
  const commands = useContext(CommandsContext);
  if (!commands) throw new Error('useCommands needs a CommandsProvider above it.');
  return commands;
}
