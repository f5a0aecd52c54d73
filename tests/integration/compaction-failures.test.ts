import { createClient } from '@libsql/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CancelledError, ConflictError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import { type Services } from '#server/services';
import { text } from '#tests/support/arbitrary-history';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { holdTimeouts } from '#tests/support/held-timers';
import { startOpenRouterChat, talkBefore } from '#tests/support/openrouter-chat';
import {
  TOLD,
  counted,
  heldModel,
  engineWith,
  requestFor,
  rounds,
  startSummarized,
  stored,
  summarizerOf,
  summaryModel,
  user,
} from '#tests/support/summary-models';
import { findSequenceProblems } from '#tests/support/validate-model-messages';
import { isSummaryRequest } from '#tests/support/summary-requests';

afterEach(() => vi.restoreAllMocks());

describe('a summarizer that fails', () => {
  it.each([
    ['with an error', () => Promise.reject(new Error('overloaded'))],
    ['by taking too long', () => timeout(10)],
    ['with nothing', () => Promise.resolve('')],
  ])('%s is replaced by the ledger, and nothing is lost', async (_, answer) => {
    let calls = 0;
    const model = summaryModel(() => {
      calls += 1;
      return answer();
    });
    await using context = await startSummarized(model);
    const { services, session } = context;
    const before = await stored(services, session);
    const prepared = await services.context.prepare(session);
    expect(prepared.usage.isOverflow).toBe(false);
    expect(prepared.compaction).toMatchObject({ strategy: 'ledger', round: 1 });
    expect(findSequenceProblems(prepared.messages)).toEqual([]);
    expect(prepared.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'The newest request' }]);
    expect(calls).toBe(2);
    expect(await stored(services, session)).toEqual(before);
    expect(await rounds(services, session)).toMatchObject([
      {
        status: 'completed',
        strategy: 'ledger',
        modelId: null,
        error: expect.stringContaining('Attempt 2: ') as string,
      },
    ]);
  });
});

describe('a summarizer that never answers', () => {
  const timeouts = [
    ['each call by its own time', { CONTEXT_SUMMARY_CALL_TIMEOUT_MS: '2000', CONTEXT_SUMMARY_TIMEOUT_MS: '60000' }, 2],
    [
      'all of them by the time for one summary',
      { CONTEXT_SUMMARY_CALL_TIMEOUT_MS: '2000', CONTEXT_SUMMARY_TIMEOUT_MS: '2000' },
      1,
    ],
  ] as const;

  it.each(timeouts)(
    'is given up, %s, for the ledger: its connection is closed, nothing is lost',
    async (_, env, calls) => {
      const model = 'openai/gpt-4o';
      const time = holdTimeouts(2_000);
      const hang = (): FakeResponse => {
        time.runOut();
        return { hang: true };
      };
      await using chat = await startOpenRouterChat(hang, { model, env });
      const { services, session, provider } = chat;
      await talkBefore(chat, 14_000, 20);
      const before = await stored(services, session);
      const prepared = await services.context.prepare(session);

      expect(prepared.compaction).toMatchObject({ round: 1, strategy: 'ledger' });
      expect(prepared.usage.isOverflow).toBe(false);
      expect(provider.requests.map(isSummaryRequest)).toEqual(Array.from({ length: calls }, () => true));
      for (const { index } of provider.requests) {
        await provider.waitForRequest((request) => request.index === index && request.state === 'client-closed');
      }
      expect(await stored(services, session)).toEqual(before);
      expect(await rounds(services, session)).toMatchObject([
        { status: 'completed', strategy: 'ledger', modelId: null },
      ]);
      expect((await services.sessions.get(session.id)).currentlyCompacting).toBe(false);
    },
  );
});

describe('a compaction that is cancelled', () => {
  it('changes nothing if it was manual, leaves a failed record, and can be repeated', async () => {
    const held = heldModel();
    await using context = await startSummarized(held.model);
    const { services, session } = context;
    const before = await services.context.inspect(session);
    const running = services.context.compact(session);
    await held.asked;
    expect((await services.sessions.get(session.id)).currentlyCompacting).toBe(true);
    expect(await services.context.cancelCompaction(session.id)).toBe(true);
    await expect(running).rejects.toThrow(CancelledError);

    expect(await services.context.inspect(session)).toEqual(before);
    expect(await rounds(services, session)).toMatchObject([{ status: 'failed', trigger: 'manual' }]);
    const { currentlyCompacting, compactionCount } = await services.sessions.get(session.id);
    expect({ currentlyCompacting, compactionCount }).toEqual({ currentlyCompacting: false, compactionCount: 0 });
    expect(await services.context.cancelCompaction(session.id)).toBe(false);
    expect(await services.context.compact(session, { strategy: 'ledger' })).toMatchObject({ status: 'completed' });
  });

  it('continues with the ledger if a step needs it', async () => {
    const held = heldModel();
    await using context = await startSummarized(held.model);
    const { services, session } = context;
    const running = services.context.prepare(session);
    await held.asked;
    expect(await services.context.cancelCompaction(session.id)).toBe(true);
    const prepared = await running;
    expect(prepared.usage.isOverflow).toBe(false);
    expect(await rounds(services, session)).toMatchObject([
      { status: 'completed', strategy: 'ledger', modelId: null },
      { status: 'failed', strategy: 'reactive-overflow' },
    ]);
    expect(held.calls()).toBe(1);
  });

  it('changes nothing even if the model answers later', async () => {
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<string>();
    await using context = await startSummarized(summaryModel(() => Promise.resolve(TOLD)));
    const { services, session } = context;
    const summarizer = summarizerOf(() => {
      asked.resolve();
      return late.promise;
    });
    const engine = engineWith();
    const request = requestFor(services, session, summarizer);
    const before = await engine.inspect(request);
    const running = engine.compact(request);
    await asked.promise;
    engine.cancelCompaction(session.id);
    late.resolve(TOLD);
    await expect(running).rejects.toThrow('cancelled');
    expect(await engine.inspect(request)).toEqual(before);
  });

  it('stops one that another instance runs, too', async () => {
    const asked = Promise.withResolvers<void>();
    await using context = await startSummarized(summaryModel(() => Promise.resolve(TOLD)));
    const { services, session } = context;
    const elsewhere = engineWith();
    const summarizer = summarizerOf((signal) => {
      asked.resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const before = await services.context.inspect(session);
    const running = elsewhere.compact(requestFor(services, session, summarizer));
    const refused = expect(running).rejects.toThrow('cancelled');
    await asked.promise;
    expect(await services.context.cancelCompaction(session.id)).toBe(true);
    await refused;
    expect(await services.context.inspect(session)).toEqual(before);
    expect(await rounds(services, session)).toMatchObject([{ status: 'failed', trigger: 'manual' }]);
    expect((await services.sessions.get(session.id)).currentlyCompacting).toBe(false);
    expect(await services.context.cancelCompaction(session.id)).toBe(false);
  });

  it('is not begun where it is cancelled on its way', async () => {
    const held = heldModel();
    await using context = await startSummarized(held.model);
    const { services, session } = context;
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { content } = services.builtIn;
    const read = content.standingInstructions.bind(content);
    vi.spyOn(content, 'standingInstructions').mockImplementationOnce(async () => {
      reached.resolve();
      await go.promise;
      return read();
    });
    const refused = expect(services.context.compact(session)).rejects.toThrow(CancelledError);
    await reached.promise;
    expect(await services.context.cancelCompaction(session.id)).toBe(true);
    go.resolve();
    await refused;
    expect(await rounds(services, session)).toEqual([]);
    expect(held.calls()).toBe(0);
  });

  it('can still be cancelled after another was refused because of it', async () => {
    const held = heldModel();
    await using context = await startSummarized(held.model);
    const { services, session } = context;
    const running = services.context.compact(session);
    await held.asked;
    await expect(services.context.compact(session)).rejects.toThrow(ConflictError);
    expect(await services.context.cancelCompaction(session.id)).toBe(true);
    await expect(running).rejects.toThrow('cancelled');
  });
});

describe('a holder that lost the lease between summary and commit', () => {
  it('changes nothing', async () => {
    const held = heldModel();
    await using context = await startSummarized(held.model);
    const { services, session } = context;
    const before = await services.context.inspect(session);
    const running = services.context.compact(session);
    await held.asked;
    await takeLeaseAway(services, session.id);
    held.finish();
    await expect(running).rejects.toThrow(ConflictError);
    expect(await services.context.inspect(session)).toEqual(before);
    expect(await rounds(services, session)).toMatchObject([{ status: 'failed' }]);
    // The new holder's mark stays: it is not this one's to release.
    expect((await services.sessions.get(session.id)).currentlyCompacting).toBe(true);
  });
});

describe('the breaker', () => {
  it('opens after two compactions with little gain, and closes when the conversation has grown', async () => {
    let calls = 0;
    const model = summaryModel(() => {
      calls += 1;
      return Promise.resolve(TOLD);
    });
    // One request fills half of the window: the summarized part is small in comparison.
    const request = user('detail '.repeat(6_500));
    await using context = await startSummarized(model, [request]);
    const { services } = context;
    // Instructions as long as those of the CMS with its tools, which programs that prepare do not have.
    const session = { ...context.session, instructions: 'rule '.repeat(3_000) };
    const grow = async (tokens: number) => {
      const said: NewMessage = { role: 'assistant', parts: [text('more '.repeat(tokens))] };
      await services.messages.appendMany(session.id, counted([said, { role: 'assistant', parts: [text('So.')] }]));
      return (await services.context.prepare(session, undefined, { strategy: 'proactive-threshold' })).compaction;
    };
    expect(await grow(600)).toMatchObject({ round: 1 });
    expect(await grow(600)).toMatchObject({ round: 2 });
    const asked = calls;
    expect(await grow(100)).toBeNull();
    expect(await grow(100)).toBeNull();
    expect(calls).toBe(asked);
    // Nothing of what the model wrote in this turn fitted: it is asked again with the next request.
    expect(await grow(900)).toMatchObject({ round: 3 });
    expect(calls).toBe(asked);
    await services.messages.appendMany(session.id, counted([user('Go on.')]));
    expect(await grow(900)).toMatchObject({ round: 4 });
    expect(calls).toBeGreaterThan(asked);
  });
});

function timeout(milliseconds: number): Promise<never> {
  const signal = AbortSignal.timeout(milliseconds);
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/** As if this process had been blocked for longer than its lease, and another one had started. */
async function takeLeaseAway(services: Services, sessionId: string): Promise<void> {
  const client = createClient({ url: services.env.DATABASE_URL });
  await client.execute({
    sql: 'update sessions set compaction_lease_owner = ?, compaction_lease_expires_at = ? where id = ?',
    args: ['own_other', Date.now() + 60_000, sessionId],
  });
  client.close();
}
