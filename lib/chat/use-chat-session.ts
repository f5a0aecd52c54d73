import { useChat } from '@ai-sdk/react';
import { useSyncExternalStore } from 'react';
import { ApiError } from '#lib/api/api-error';
import { asksForApproval } from '#lib/chat/chat-message';
import type { ChatMessage } from '#lib/chat/chat-message';
import type { ChatSession, ChatSessionState } from '#lib/chat/chat-session';

/** Redraw a streaming answer at most this often; ms. */
const RENDER_INTERVAL = 50;

export interface ChatView extends ChatSessionState {
  readonly messages: ChatMessage[];
  readonly isRunning: boolean;
  /** The request was accepted but nothing of the answer has arrived. */
  readonly isWaiting: boolean;
  /** The newest answer waits for the user's word on some of its tool calls. */
  readonly isAsking: boolean;
  /** Why the newest turn failed, unless its message was not even accepted. */
  readonly turnError: string | null;
}

/** A conversation as React sees it. */
export function useChatSession(session: ChatSession): ChatView {
  const { messages, status, error } = useChat<ChatMessage>({ chat: session.chat, throttle: RENDER_INTERVAL });
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);
  const isRunning = status === 'submitted' || status === 'streaming';
  const last = messages.at(-1);
  return {
    ...state,
    messages,
    isRunning,
    isAsking: !isRunning && last !== undefined && asksForApproval(last),
    isWaiting: status === 'submitted',
    turnError: status === 'error' && error !== undefined && !(error instanceof ApiError) ? error.message : null,
  };
}
