import { useCallback, useSyncExternalStore } from 'react';
import { toast } from '#components/toast';
import { mutate } from 'swr';
import type { Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { SessionContext } from '#server/core/context-report';
import type { Session } from '#server/core/sessions';
import { ApiError } from '#components/api/api-error';
import { asksForApproval, type ChatMessage } from '#components/api/chat-message';
import { ChatSession, type ChatSessionEvents } from '#components/chat/session/chat-session';
import type { ChatSessionState } from '#components/chat/session/chat-session-state';
import { refreshContent, threadKey } from '#components/desk/content-cache';
import { transcriptStrings } from '#components/chat/session/words';

const sessions = new Map<string, ChatSession>();

/** Context with any model. */
const isContextOf = (sessionId: string) => (key: unknown) =>
  typeof key === 'string' && (key === paths.context(sessionId) || key.startsWith(`${paths.context(sessionId)}?`));

/** All that is told of what the model sees: the context, and each compaction that is unfolded. */
const isViewOf = (sessionId: string) => (key: unknown) =>
  typeof key === 'string' &&
  (key.startsWith(paths.context(sessionId)) || key.startsWith(paths.compaction(sessionId, '')));

const events: ChatSessionEvents = {
  onContext: (sessionId, usage) =>
    void mutate(
      isContextOf(sessionId),
      (current: SessionContext | undefined) =>
        current && { ...current, ...usage, cost: { ...current.cost, ...usage.cost } },
      // What is being read now is dropped with this. The end of a turn reads all of it anyway.
      { revalidate: (known?: SessionContext) => !known || sessions.get(sessionId)?.isRunning !== true },
    ),
  onWishes: (sessionId) => void mutate(paths.wishes(sessionId)),
  onViewChanged: (sessionId, change) => {
    void mutate(isViewOf(sessionId));
    // Summaries have a place in it.
    if (change === 'summarized') void mutate(threadKey(sessionId));
  },
  onSettled: (sessionId) => {
    void mutate(isViewOf(sessionId));
    void mutate(paths.wishes(sessionId));
    void mutate(paths.sessions);
    refreshContent();
  },
};

/**
 * The conversation with this id; the same object as long as this page lives, so that streams survive navigation. On the
 * server, which outlives every page, none is kept.
 */
export function chatSession(id: string): ChatSession {
  const known = sessions.get(id);
  if (known) return known;
  const created = new ChatSession(id, events);
  if (typeof window === 'undefined') created.close();
  else sessions.set(id, created);
  return created;
}

/** A conversation that was created just now: it is listed at once and there is nothing to load. */
export function newChatSession(created: Session): ChatSession {
  const session = chatSession(created.id);
  session.startEmpty();
  void mutate(
    paths.sessions,
    (list: Page<Session> | undefined) =>
      // It may have been created a while ago, for its files.
      list && { ...list, items: [created, ...list.items.filter(({ id }) => id !== created.id)] },
    { revalidate: false },
  );
  return session;
}

/** Forgets a conversation that was deleted. */
export function forgetChatSession(id: string): void {
  sessions.get(id)?.close();
  sessions.delete(id);
}

/** Redraw a streaming answer at most this often; ms. */
const RENDER_INTERVAL = 50;

/** Calls at once, and what comes too soon after that together at the end of the time. */
function atMostEvery(ms: number, listener: () => void): () => void {
  let calledAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const call = () => {
    timer = null;
    calledAt = performance.now();
    listener();
  };
  return () => {
    const wait = calledAt + ms - performance.now();
    if (wait <= 0) call();
    else timer ??= setTimeout(call, wait);
  };
}

export interface ChatView extends ChatSessionState {
  readonly messages: ChatMessage[];
  readonly isRunning: boolean;
  /** The request was accepted but nothing of the answer has arrived. */
  readonly isWaiting: boolean;
  /** The newest answer waits for the user's word on some of its tool calls. */
  readonly isAsking: boolean;
  /** Reason why the newest turn failed; null also if its message was not accepted. */
  readonly turnError: string | null;
}

/** A conversation as React sees it. */
export function useChatSession(session: ChatSession): ChatView {
  const { chat } = session;
  const subscribe = useCallback(
    (listener: () => void) => chat.subscribe(atMostEvery(RENDER_INTERVAL, listener)),
    [chat],
  );
  const messages = useSyncExternalStore(
    subscribe,
    () => chat.messages,
    () => chat.messages,
  );
  const status = useSyncExternalStore(
    chat.subscribe,
    () => chat.status,
    () => chat.status,
  );
  const { error } = chat;
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

/** True while a turn runs. Does not redraw for the words of its answer. */
export function useIsRunning(session: ChatSession | null): boolean {
  const subscribe = useCallback(
    (listener: () => void) => session?.chat.subscribe(listener) ?? (() => undefined),
    [session],
  );
  return useSyncExternalStore(
    subscribe,
    () => session?.isRunning ?? false,
    () => false,
  );
}

/** Stops the answer that is being written, and says so where it takes its time to end. @throws ApiError */
export async function stopAnswer(session: ChatSession): Promise<void> {
  if (!(await session.stop())) toast(transcriptStrings.stopsSlowly);
}
