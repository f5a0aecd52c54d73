import { describe, expect, vi } from 'vitest';
import { api } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';
import { asksForApproval, wasStopped } from '#components/api/chat-message.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { answer, isFollowing, it as test, texts, waiting } from '#tests/support/chat-test';
import { untilHeld } from '#tests/support/session-server';

/** The approval that the conversation waits for. */
const approvalOf = (session: ChatSession): string => session.getState().approvals[0]?.approvalId ?? '';

const outcomeOfCall = (session: ChatSession) =>
  answer(session)?.parts.flatMap((part) => (part.type === 'tool-delete_content' ? [part.state] : []))[0];

const it = test
  /** One request with its answer, sent from here. */
  .extend('ask', ({ server, begin, untilIdle }) =>
  async () => {
    await begin('Hello');
    server.endTurn('Good day.');
    await untilIdle();
  });

describe('ChatSession', () => {
  describe('the newest request', () => {
    const said = (text: string) => [{ type: 'text' as const, text }];

    it('stays open and unchanged when the edit is refused', async ({ server, session, ask }) => {
      await ask();
      session.newestRequest.edit();
      server.startTurn('Elsewhere');
      server.endTurn('Faster.');
      await vi.waitUntil(() => texts(session).includes('Faster.') && !session.isRunning);
      const { editing } = session.getState();
      const before = texts(session);
      await expect(session.newestRequest.replace(editing ?? '', said('Hello you'), undefined, true)).rejects.toThrow(
        ApiError,
      );
      expect(session.getState().editing).toBe(editing);
      await expect.poll(() => texts(session)).toEqual(before);
    });

    it('is sent once for two clicks, and not during an answer', async ({ server, session, untilIdle, ask }) => {
      await ask();
      await Promise.all([session.newestRequest.retry(undefined, false), session.newestRequest.retry(undefined, false)]);
      await vi.waitUntil(() => isFollowing(session));
      session.newestRequest.edit();
      await session.newestRequest.retry(undefined, false);
      expect(session.getState().editing).toBeNull();
      expect(server.sent).toHaveLength(2);
      server.endTurn('Good evening.');
      await untilIdle();
    });

    it('is sent again before later messages, also if it is slow', async ({ session, holdNext, sentTexts, ask }) => {
      await ask();
      const slow = await holdNext('POST /api/chat', () => session.newestRequest.retry(undefined, false));
      const second = session.outbox.send('And then?', undefined);
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, second]);
      expect(sentTexts()).toEqual(['Hello', 'Hello', 'And then?']);
      await expect.poll(() => waiting(session)).toEqual(['And then?']);
    });

    it('is sent once for two edits; the second is refused with a reason', async ({
      server,
      session,
      holdNext,
      ask,
    }) => {
      await ask();
      session.newestRequest.edit();
      const replace = (text: string) =>
        session.newestRequest.replace(session.getState().editing ?? '', said(text), undefined, false);
      const slow = await holdNext('POST /api/chat', () => replace('Hello you'));
      expect(session.getState().isReplacing).toBe(true);
      expect(await replace('Hello all')).toBe(false);
      slow.release();
      expect(await slow.sent).toBe(true);
      expect(session.getState()).toMatchObject({ isReplacing: false, editing: null });
      expect(server.sent.map(({ text }) => text)).toEqual(['Hello', 'Hello you']);
    });

    it('is not retried while an edit of it is open', async ({ server, session, ask }) => {
      await ask();
      session.newestRequest.edit();
      expect(await session.newestRequest.retry(undefined, false)).toBe(false);
      expect(session.getState().editing).not.toBeNull();
      expect(server.sent).toHaveLength(1);
    });
  });

  describe('stopping', () => {
    it('ends the turn, keeps its text, holds the queue, and can send the queue', async ({
      server,
      session,
      watch,
      begin,
      untilIdle,
    }) => {
      await watch();
      await begin('Tell me everything');
      server.say('So far');
      await session.outbox.send('Later', undefined);
      await session.stop();
      await untilIdle();
      expect(session.getState()).toMatchObject({ isStopping: false, queue: { held: true } });
      await expect.poll(() => waiting(session)).toEqual(['Later']);
      await expect.poll(() => texts(session)).toEqual(['Tell me everything', 'So far']);
      expect(answer(session) && wasStopped(answer(session)!)).toBe(true);

      await session.changeQueue(() => api.queue.release(session.id));
      await vi.waitUntil(() => session.isRunning && texts(session).includes('Later'));
      await expect.poll(() => waiting(session)).toEqual([]);
      server.endTurn('Sent.');
      await untilIdle();
      await expect.poll(() => texts(session)).toEqual(['Tell me everything', 'So far', 'Later', 'Sent.']);
    });

    it('waits for a message that is being sent', async ({ server, session, untilIdle }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.gates.set('POST /api/chat', () => promise);
      session.startEmpty();
      await session.outbox.send('Wait', undefined);
      const stopping = session.stop();
      expect(session.getState().isStopping).toBe(true);
      expect(server.requests).not.toContain(`POST /api/chat/${session.id}/cancel`);
      resolve();
      await stopping;
      await untilIdle();
      expect(server.requests.indexOf(`POST /api/chat/${session.id}/cancel`)).toBeGreaterThan(0);
      expect(session.getState().isStopping).toBe(false);
    });

    it('waits for a message being queued, which would start a turn', async ({
      server,
      session,
      begin,
      holdNext,
      untilIdle,
    }) => {
      await begin('Start');
      const slow = await holdNext('POST /api/message/queue', () => session.outbox.send('Later', undefined));
      const stopping = session.stop();
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, stopping]);
      await untilIdle();
      expect((await server.services.chat.queue(server.session.id)).held).toBe(true);
      expect(await server.queue()).toEqual(['Later']);
    });

    it('distinguishes an ended turn from one that is still stopping', async ({ server, session, begin, untilIdle }) => {
      await begin('Change all pages');
      server.answers.set(`POST /api/chat/${session.id}/cancel`, () =>
        Response.json({ cancelled: false, persisted: 'partial_assistant' }),
      );
      expect(await session.stop()).toBe(false);
      expect(session.getState().isStopping).toBe(true);
      expect(session.isRunning).toBe(true);
      server.endTurn('The change is made.');
      await untilIdle();
      expect(session.getState().isStopping).toBe(false);
    });

    it('reports why it failed', async ({ server, session, begin }) => {
      await begin('Go on');
      server.refusesNext = 503;
      await expect(session.stop()).rejects.toThrow('Not now.');
      expect(session.getState().isStopping).toBe(false);
      expect(session.isRunning).toBe(true);
    });
  });

  describe('approvals', () => {
    it('needs no events for that, nor for decisions of others', async ({ server, session, begin, untilIdle }) => {
      await begin('Delete it');
      server.askToDelete();
      await untilIdle();
      const approvalId = approvalOf(session);
      await session.decide([{ approvalId, approved: false }]);
      server.endTurn('Left alone.');
      await vi.waitUntil(() => texts(session).includes('Left alone.'));
      await expect(session.decide([{ approvalId, approved: true }])).rejects.toThrow(ApiError);
    });

    it('shows the decision after reconnecting if responses were lost', async ({
      server,
      session,
      begin,
      untilIdle,
    }) => {
      await begin('Delete it');
      server.askToDelete();
      await untilIdle();
      const lost = [
        `POST /api/sessions/${session.id}/approvals`,
        `GET /api/sessions/${session.id}/messages`,
        `GET /api/chat/${session.id}/stream`,
      ];
      for (const request of lost) server.lost.add(request);
      await expect(session.decide([{ approvalId: approvalOf(session), approved: true }])).rejects.toThrow(ApiError);
      server.endTurn('Deleted.');
      await vi.waitUntil(() => texts(session).includes('Deleted.'));
      expect(session.chat.messages.some(asksForApproval)).toBe(false);
    });

    it('sends a decision before later messages, which deny open calls', async ({
      server,
      session,
      begin,
      holdNext,
      untilIdle,
    }) => {
      await begin('Delete it');
      server.askToDelete();
      await untilIdle();
      const slow = await holdNext(`POST /api/sessions/${session.id}/approvals`, () =>
        session.decide([{ approvalId: approvalOf(session), approved: true }]),
      );
      const second = session.outbox.send('And then?', undefined);
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, second]);
      await expect.poll(() => outcomeOfCall(session)).toBe('output-available');
    });

    it('shows the decision of another user, also of an ended turn', async ({
      server,
      session,
      watch,
      begin,
      untilIdle,
    }) => {
      await watch();
      await begin('Delete it');
      server.askToDelete();
      await untilIdle();
      const approvalId = approvalOf(session);
      await server.fetch(`/api/sessions/${session.id}/approvals`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ decisions: [{ approvalId, approved: false }] }),
      });
      server.endTurn('Left alone.');
      await vi.waitUntil(() => texts(session).includes('Left alone.'));
      await expect(session.decide([{ approvalId, approved: true }])).rejects.toThrow(ApiError);
      expect(answer(session) && asksForApproval(answer(session)!)).toBe(false);
    });
  });
});
