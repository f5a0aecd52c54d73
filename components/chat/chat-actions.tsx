import { createContext, useContext } from 'react';
import type { EntryRef } from '#lib/tool-entry';
import type { ApprovalDecision } from '#server/core/turns';

/** What parts deep in the transcript can ask of the desk. */
export interface ChatActions {
  /** Shows an entry in the preview. */
  readonly showEntry: (entry: EntryRef) => void;
  /** Sends an answer to the assistant's question. */
  readonly answer: (text: string) => void;
  /** Lets waiting tool calls run, or not. Rejects with ApiError. */
  readonly decide: (decisions: readonly ApprovalDecision[]) => Promise<void>;
}

const ChatActionsContext = createContext<ChatActions | null>(null);

export const ChatActionsProvider = ChatActionsContext.Provider;

/** The actions of the surrounding conversation. Throws outside of one. */
export function useChatActions(): ChatActions {
  const actions = useContext(ChatActionsContext);
  if (!actions) throw new Error('useChatActions needs a ChatActionsProvider above it.');
  return actions;
}
