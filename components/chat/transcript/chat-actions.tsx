import { createContext, useContext } from 'react';
import type { ChatMessage } from '#components/api/chat-message';
import type { ChatSession } from '#components/chat/session/chat-session';
import type { EntryRef } from '#components/chat/session/tool-entry';
import type { ApprovalDecision } from '#server/core/approvals';

/** Functions of the desk for components deep in the transcript. */
export interface ChatActions {
  /** The conversation itself. */
  readonly session: ChatSession;
  /** Shows an entry in the preview, and marks those sections of it. */
  readonly showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Sends an answer to the assistant's question. */
  readonly answer: (text: string) => void;
  /** Approves or denies waiting tool calls. Rejects with ApiError. */
  readonly decide: (decisions: readonly ApprovalDecision[]) => Promise<void>;
  /** Opens the newest request for a change. Rejects with ApiError. */
  readonly edit: () => Promise<void>;
  /** Closes it again. */
  readonly endEdit: () => void;
  /**
   * Sends something in the place of the newest request; resolves to whether it did. Rejects with ApiError, with nothing
   * changed.
   */
  readonly replace: (messageId: string, parts: ChatMessage['parts'], undoChanges: boolean) => Promise<boolean>;
  /** Asks the newest request again; resolves to whether it did. Rejects with ApiError, with nothing changed. */
  readonly retry: (undoChanges: boolean) => Promise<boolean>;
  /** Messages superseded by that message. Rejects with ApiError. */
  readonly earlierVersion: (messageId: string) => Promise<readonly ChatMessage[]>;
}

const ChatActionsContext = createContext<ChatActions | null>(null);

export const ChatActionsProvider = ChatActionsContext.Provider;

/** The actions of the surrounding conversation. Throws outside of one. */
export function useChatActions(): ChatActions {
  const actions = useContext(ChatActionsContext);
  if (!actions) throw new Error('useChatActions needs a ChatActionsProvider above it.');
  return actions;
}
