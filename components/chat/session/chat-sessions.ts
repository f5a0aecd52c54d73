import { useChat } from '@ai-sdk/react';
import { useMemo, useSyncExternalStore } from 'react';
import { toast } from 'sonner';
import { mutate } from 'swr';
import { translator } from '#components/i18n.ts';
import type { Page } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { SessionContext } from '#server/core/conversation/context-report';
import type { Session } from '#server/core/conversation/sessions';
import { asksForApproval, type ChatMessage } from '#components/api/chat-message.ts';
import { ChatSession, type ChatSessionEvents } from '#components/chat/session/chat-session.ts';
import type { MessagePlace } from '#components/chat/session/fold-transcript.ts';
import {
  type ChatSessionState,
  type FailedSend,
  isRunning as isTurnRunning,
} from '#components/chat/session/chat-session-state.ts';
import { refreshContent, historyKey } from '#components/workspace/content-cache.ts';
import { goTo, sessionPath } from '#components/workspace/navigation.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';

const t = translator('transcript');

const sessions = new Map<string, ChatSession>();

/** SWR keys of the context, with any model. */
const isContextOf = (sessionId: string) => (key: unknown) =>
  typeof key === 'string' && (key === paths.context(sessionId) || key.startsWith(`${paths.context(sessionId)}?`));

/** SWR keys of everything about the model's view: the context, and each unfolded compaction. */
const isViewOf = (sessionId: string) => (key: unknown) =>
  typeof key === 'string' &&
  (key.startsWith(paths.context(sessionId)) || key.startsWith(paths.compaction(sessionId, '')));

const events: ChatSessionEvents = {
  onContext: (sessionId, usage) =>
    void mutate(
      isContextOf(sessionId),
      (current: SessionContext | undefined) =>
        current && { ...current, ...usage, cost: { ...current.cost, ...usage.cost } },
      // Drops the current read. The end of a turn reloads everything anyway.
      { revalidate: (known?: SessionContext) => !known || sessions.get(sessionId)?.isRunning !== true },
    ),
  onPreferences: (sessionId) => void mutate(paths.preferences(sessionId)),
  onViewChanged: (sessionId, change) => {
    void mutate(isViewOf(sessionId));
    // The history contains summaries.
    if (change === 'summarized') void mutate(historyKey(sessionId));
  },
  onSettled: (sessionId) => {
    void mutate(isViewOf(sessionId));
    void mutate(paths.preferences(sessionId));
    void mutate(paths.sessions);
    refreshContent();
  },
};

/**
 * The conversation with this id. Returns the same object for the lifetime of the page, so that streams survive
 * navigation. The server, which outlives every page, keeps none.
 */
export function chatSession(id: string): ChatSession {
  const known = sessions.get(id);
  if (known) return known;
  const created = new ChatSession(id, events);
  if (typeof window === 'undefined') created.close();
  else sessions.set(id, created);
  return created;
}

/** A conversation that was just created: added to the list immediately, with nothing to load. */
export function newChatSession(created: Session): ChatSession {
  const session = chatSession(created.id);
  session.startEmpty();
  void mutate(
    paths.sessions,
    (list: Page<Session> | undefined) =>
      // It may have been created earlier, for its files.
      list && { ...list, items: [created, ...list.items.filter(({ id }) => id !== created.id)] },
    { revalidate: false },
  );
  return session;
}

/** Removes a deleted conversation. */
export function forgetChatSession(id: string): void {
  sessions.get(id)?.close();
  sessions.delete(id);
}

/** Least time between two redraws of a streaming answer; ms. */
const RENDER_INTERVAL = 50;

export interface ChatView extends ChatSessionState {
  readonly messages: ChatMessage[];
  readonly isRunning: boolean;
  /** The request was accepted, but no part of the answer has arrived. */
  readonly isWaiting: boolean;
  /** The newest answer waits for the user's approval of some of its tool calls. */
  readonly isAsking: boolean;
}

/** A hook with the state of a conversation. */
export function useChatSession(session: ChatSession): ChatView {
  const { messages: known, status } = useChat({ chat: session.chat, throttle: RENDER_INTERVAL });
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);
  const { failedSends } = state;
  const messages = useMemo(() => withFailed(known, failedSends), [known, failedSends]);
  const isRunning = isTurnRunning(state);
  const last = known.at(-1);
  // React may render a change of the state before the messages that came with it.
  const isBehind = known.length === 0 && session.chat.messages.length > 0;
  return {
    ...state,
    load: isBehind ? 'loading' : state.load,
    messages,
    isRunning,
    isAsking: !isRunning && last !== undefined && asksForApproval(last),
    isWaiting: status === 'submitted',
  };
}

/** The messages that were not accepted come last. */
function withFailed(messages: ChatMessage[], failedSends: readonly FailedSend[]): ChatMessage[] {
  if (failedSends.length === 0) return messages;
  const failed = failedSends.map(({ message }) => message);
  return [...messages.filter(({ id }) => !failed.some((message) => message.id === id)), ...failed];
}

/** True while a turn runs. Does not rerender for the text of its answer. */
export function useIsRunning(session: ChatSession | null): boolean {
  return useSyncExternalStore(
    session?.subscribe ?? never,
    () => session?.isRunning ?? false,
    () => false,
  );
}

const never = () => () => undefined;

/** Stops the running answer, and shows a message if it takes long to end. @throws ApiError */
export async function stopAnswer(session: ChatSession): Promise<void> {
  if (!(await session.stop())) toast(t('stopsSlowly'));
}

/**
 * Opens the conversation of a message, and scrolls to the message, regardless of its age. A toast tells if it is gone or
 * could not be loaded.
 */
export async function openMessage({
  sessionId,
  ...place
}: MessagePlace & { readonly sessionId: string }): Promise<void> {
  const path = sessionPath(sessionId);
  if (window.location.pathname !== path) goTo(path);
  try {
    if (!(await chatSession(sessionId).pages.reach(place))) toast(t('messageGone'));
  } catch (error) {
    reportFailure(error);
  }
}
