import { mutate } from 'swr';
import { paths } from '#lib/api-client';
import type { Page, SessionContext, SessionItem } from '#lib/api-client';
import { ChatSession } from '#lib/chat-session';
import type { ChatSessionEvents } from '#lib/chat-session';

const sessions = new Map<string, ChatSession>();

const isContextOf = (sessionId: string) => (key: unknown) =>
  typeof key === 'string' && key.startsWith(paths.context(sessionId));

const events: ChatSessionEvents = {
  onContext: (sessionId, usage) =>
    void mutate(
      isContextOf(sessionId),
      (current: SessionContext | undefined) => (current ? { ...current, ...usage } : undefined),
      { revalidate: false },
    ),
  onSettled: (sessionId) => {
    void mutate(isContextOf(sessionId));
    void mutate(paths.sessions);
  },
};

/** The conversation with this id; the same object as long as this page lives, so that streams survive navigation. */
export function chatSession(id: string): ChatSession {
  const known = sessions.get(id);
  if (known) return known;
  const created = new ChatSession(id, events);
  sessions.set(id, created);
  return created;
}

/** A conversation that was created just now: it is listed at once and there is nothing to load. */
export function newChatSession(created: SessionItem): ChatSession {
  const session = chatSession(created.id);
  session.startEmpty();
  void mutate(
    paths.sessions,
    (list: Page<SessionItem> | undefined) => (list ? { ...list, items: [created, ...list.items] } : undefined),
    { revalidate: false },
  );
  return session;
}

/** Forgets a conversation that was deleted. */
export function forgetChatSession(id: string): void {
  sessions.get(id)?.close();
  sessions.delete(id);
}
