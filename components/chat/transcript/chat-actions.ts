import { createContext, useContext } from 'react';
import type { ChatMessage } from '#components/api/chat-message.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import type { EntryRef } from '#components/chat/parts/tool-entry.ts';
import type { ApprovalDecision } from '#server/core/conversation/approvals';

/** Functions of the workspace for components deep in the transcript. */
export interface ChatActions {
  /** The open conversation. */
  readonly session: ChatSession;
  /** Shows an entry in the preview and marks the given sections. */
  readonly showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Sends an answer to the assistant's question. */
  readonly answer: (text: string) => void;
  /** Approves or denies waiting tool calls. Rejects with ApiError. */
  readonly decide: (decisions: readonly ApprovalDecision[]) => Promise<void>;
  /** Opens the newest request for editing. */
  readonly edit: () => void;
  /** Ends the editing. */
  readonly endEdit: () => void;
  /**
   * Sends a replacement for the newest request; resolves to true if it was sent. Rejects with ApiError, with nothing
   * changed.
   */
  readonly replace: (messageId: string, parts: ChatMessage['parts'], undoChanges: boolean) => Promise<boolean>;
  /** Retries the newest request; resolves to true if it was sent. Rejects with ApiError, with nothing changed. */
  readonly retry: (undoChanges: boolean) => Promise<boolean>;
  /** Messages replaced by that message. Rejects with ApiError. */
  readonly earlierVersion: (messageId: string) => Promise<readonly ChatMessage[]>;
}

const ChatActionsContext = createContext<ChatActions | null>(null);

/** Provides the actions of a conversation to the components below it. */
export const ChatActionsProvider = ChatActionsContext.Provider;

/** The actions of the surrounding conversation. Throws outside a conversation. */
export function useChatActions(): ChatActions {
  const actions = useContext(ChatActionsContext);
  if (!actions) throw new Error('useChatActions needs a ChatActionsProvider above it.');
  return actions;
}
