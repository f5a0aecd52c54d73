import { test, vi } from 'vitest';
import { type ChatMessage, messageText } from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import { ChatSession } from '#components/chat/session/chat-session';
import type { ViewChange } from '#components/chat/session/session-compactions';
import { FakeChatServer } from '#tests/support/fake-chat-server';

export const texts = (session: ChatSession): string[] => session.chat.messages.map(messageText);
export const waiting = (session: ChatSession): string[] => session.getState().queue.items.map(({ text }) => text);
export const answer = (session: ChatSession): ChatMessage | undefined =>
  session.chat.messages.findLast(({ role }) => role === 'assistant');

/** The stream of the running turn arrives. */
export const isFollowing = (session: ChatSession): boolean =>
  session.isRunning && session.chat.messages.at(-1)?.role === 'assistant';

/** Until everything has happened that needs no answer that is held back. */
export const untilHeld = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Vitest's `it` with a conversation, as it is in the browser, and a server that a test can hold back. */
export const it = test
  // Vitest reads the names of the fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  .extend('server', ({}, { onCleanup }) => {
    const server = new FakeChatServer();
    vi.stubGlobal('fetch', server.fetch);
    onCleanup(async () => {
      // What waits for a server would do so in the tests that follow.
      vi.useRealTimers();
      vi.stubGlobal('fetch', server.fetch);
      await vi.waitUntil(() => connection.state === 'online');
      vi.unstubAllGlobals();
    });
    return server;
  })
  .extend('settled', () => vi.fn<(sessionId: string) => void>())
  .extend('viewChanged', () => vi.fn<(sessionId: string, change: ViewChange) => void>())
  .extend('openSession', ({ settled, viewChanged, server: _ }) => {
    return () =>
      new ChatSession('ses_1', {
        onContext: () => undefined,
        onWishes: () => undefined,
        onViewChanged: viewChanged,
        onSettled: settled,
      });
  })
  .extend('session', ({ openSession }) => openSession())
  /** Follows what happens on the server, as the conversation on screen does, until the test ends. */
  .extend('watch', ({ server, session }, { onCleanup }) => {
    const watched: (() => void)[] = [];
    onCleanup(() => watched.forEach((end) => end()));
    return async (other = session) => {
      const before = server.listenerCount;
      watched.push(other.watch());
      await vi.waitUntil(() => server.listenerCount > before);
    };
  })
  /** Sends and waits until the turn is followed. */
  .extend('begin', ({ session }) => async (text: string) => {
    session.startEmpty();
    await session.send(text, undefined);
    await vi.waitUntil(() => isFollowing(session));
  })
  /** Holds back the next request of this kind, and none after it. */
  .extend('holdNext', ({ server }) => async (request: string, send: () => Promise<unknown>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = server.requests.filter((made) => made === request).length;
    server.gates.set(request, promise);
    const sent = send();
    await vi.waitUntil(() => server.requests.filter((made) => made === request).length > before);
    server.gates.clear();
    return { sent, release: resolve };
  })
  .extend(
    'sentTexts',
    ({ server }) =>
      () =>
        server.sent.map(({ text }) => text),
  )
  .extend('untilIdle', ({ server, session }) => async (other = session) => {
    await vi.waitUntil(() => !other.isRunning && !server.isRunning);
  });
