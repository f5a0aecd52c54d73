import { createContext, useContext } from 'react';
import type { Invocation } from '#components/chat/commands/commands.ts';

/** The commands for use in any part of the workspace. */
export interface Commands {
  /** Conversation on screen; null on the empty workspace. */
  readonly sessionId: string | null;
  /** Runs a command and reports its failure in a toast. */
  readonly run: (invocation: Invocation) => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const CommandsContext = createContext<Commands | null>(null);

/** Provides the commands to the workspace below it. */
export const CommandsProvider = CommandsContext.Provider;

/** Returns the commands. Throws outside the workspace. */
export function useCommands(): Commands {
  const provided = useContext(CommandsContext);
  if (!provided) throw new Error('useCommands needs a CommandsProvider above it.');
  return provided;
}
