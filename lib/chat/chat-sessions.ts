import { mutate } from 'swr';
import { paths } from '#lib/api/api-client';
import type { Page, SessionContext, SessionItem } from '#lib/api/api-client';
import { refreshContent } from '#lib/changes/content-cache';
import { ChatSession } from '#lib/chat/chat-session';
import type { ChatSessionEvents } from '#lib/chat/chat-session';

const sessions = new Map<string, ChatSession>();

/** With whatever model it was asked for. */
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
      (current: SessionContext | undefined) => (current ? { ...current, ...usage } : undefined),
      // What is being read now is dropped with this. The end of a turn reads all of it anyway.
      { revalidate: (known?: SessionContext) => !known || sessions.get(sessionId)?.isRunning !== true },
    ),
  onSettled: (sessionId) => {
    void mutate(isViewOf(sessionId));
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
export function newChatSession(created: SessionItem): ChatSession {
  const session = chatSession(created.id);
  session.startEmpty();
  void mutate(
    paths.sessions,
    (list: Page<SessionItem> | undefined) =>
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
