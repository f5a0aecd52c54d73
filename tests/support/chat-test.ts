import { test, vi } from 'vitest';
import { type ChatMessage, messageText } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import { ChatSession, type ViewChange } from '#components/chat/session/chat-session.ts';
import { SessionServer } from '#tests/support/session-server';

export const texts = (session: ChatSession): string[] =>
  [...session.chat.messages, ...session.getState().failedSends.map(({ message }) => message)].map(messageText);
export const waiting = (session: ChatSession): string[] => session.getState().queue.items.map(({ text }) => text);
export const answer = (session: ChatSession): ChatMessage | undefined =>
  session.chat.messages.findLast(({ role }) => role === 'assistant');

/** The stream of the running turn arrives. */
export const isFollowing = (session: ChatSession): boolean =>
  session.isRunning && session.chat.messages.at(-1)?.role === 'assistant';

/** Vitest's `it` with a conversation of the browser, and a server that a test can hold back. */
export const it = test
  // Vitest reads the names of the fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  .extend('server', async ({}, { onCleanup }) => {
    const server = await SessionServer.start();
    vi.stubGlobal('fetch', server.fetch);
    onCleanup(async () => {
      // What waits for a server would do so in the tests that follow.
      vi.useRealTimers();
      vi.stubGlobal('fetch', server.fetch);
      await vi.waitUntil(() => connection.state === 'online');
      vi.unstubAllGlobals();
      await server.stop();
    });
    return server;
  })
  .extend('settled', () => vi.fn<(sessionId: string) => void>())
  .extend('viewChanged', () => vi.fn<(sessionId: string, change: ViewChange) => void>())
  .extend('openSession', ({ settled, viewChanged, server }, { onCleanup }) => {
    const opened: ChatSession[] = [];
    onCleanup(() => opened.forEach((session) => session.close()));
    return () => {
      const session = new ChatSession(server.session.id, {
        onContext: () => undefined,
        onPreferences: () => undefined,
        onViewChanged: viewChanged,
        onSettled: settled,
      });
      opened.push(session);
      return session;
    };
  })
  .extend('session', ({ openSession }) => openSession())
  /** Shows the conversation, as the one on screen is, until the test ends. */
  .extend('watch', ({ session }, { onCleanup }) => {
    const watched = new Map<ChatSession, () => void>();
    onCleanup(() => watched.forEach((end) => end()));
    return async (other = session) => {
      if (watched.has(other)) return;
      watched.set(other, other.watch());
      await vi.waitUntil(() => other.getState().load === 'ready');
    };
  })
  /** Sends and waits until the turn is followed. */
  .extend('begin', ({ server, session, watch }) => async (text: string) => {
    await watch();
    await session.outbox.send(text, undefined);
    // Until the message has arrived, the answer before it is the last one.
    await vi.waitUntil(() => server.sent.at(-1)?.text === text && isFollowing(session));
  })
  /** Holds back the next request of this kind, and none after it. */
  .extend('holdNext', ({ server }) => async (request: string, send: () => Promise<unknown>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = server.requests.filter((made) => made === request).length;
    server.gates.set(request, () => promise);
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
    await server.done();
    await vi.waitUntil(() => !other.isRunning);
  });
