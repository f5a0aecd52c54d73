import { describe, expect, it } from 'vitest';
import { orAborted } from '#server/core/async';
import type { Session } from '#server/core/conversation/sessions';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Summarizer } from '#server/context/ports';
import type { Services } from '#server/services';
import { startContextSession, turns } from '#tests/support/context-session';
import {
  SUMMARIZER,
  TOLD,
  counted,
  countingSummarizer,
  engineWith,
  requestFor,
  rounds,
  startSummarized,
  summarizerOf,
  summaryModel,
  user,
} from '#tests/support/summary-models';

describe('a summary prepared in the background', () => {
  /** Above the soft limit, below usable, for the window of `requestFor`. */
  const AT_REST = turns(10, 100, 700);

  /** A conversation above the soft limit, with a separate engine and a summarizer that counts. */
  async function startAtRest() {
    const context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { summarizer, calls } = countingSummarizer();
    const engine = engineWith();
    return { ...context, calls, engine, request: requestFor(context.services, context.session, summarizer) };
  }

  it('is used, with its cost, by the next compaction; later messages stay verbatim', async () => {
    await using atRest = await startAtRest();
    const { services, session, calls, engine, request } = atRest;
    expect((await engine.inspect(request)).usage.isOverflow).toBe(false);
    await engine.prepareSummary(request);
    expect(calls()).toBe(1);
    expect(await rounds(services, session)).toEqual([]);

    await services.messages.appendMany(session.id, counted([...turns(3, 100, 900), user('The newest request')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 1, strategy: 'reactive-overflow' });
    expect(calls()).toBe(1);
    expect(JSON.stringify(prepared.messages)).toContain('Told for the time 1.');
    expect(prepared.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'The newest request' }]);
    expect(await rounds(services, session)).toMatchObject([
      { modelId: SUMMARIZER, usage: { inputTokens: 700, outputTokens: 50 } },
    ]);
  });

  it('is used before outputs are cleared, and none are cleared while it waits', async () => {
    const model = summaryModel(() => Promise.resolve(''));
    await using reading = await startSummarized(model, turns(10, 800, 60));
    const { summarizer, calls } = countingSummarizer();
    const request = requestFor(reading.services, reading.session, summarizer);
    const engine = engineWith();
    await engine.prepareSummary(request);
    expect(calls()).toBe(1);
    expect(await engine.prune(request, 'turn-end')).toMatchObject({ outputsPruned: 0 });
    expect(await engine.prepare(request, 'overflow')).toMatchObject({ prunedOutputs: 0, compaction: { round: 1 } });

    // Without one they would be.
    await reading.services.context.undo(reading.session, (await rounds(reading.services, reading.session))[0]!.id);
    expect((await engineWith().prune(request, 'turn-end')).outputsPruned).toBeGreaterThan(0);
  });

  it('is dropped when another compaction came between', async () => {
    await using atRest = await startAtRest();
    const { services, session, calls, engine, request } = atRest;
    await engine.prepareSummary(request);
    // In another process, so that this one does not know.
    await engineWith().compact({ ...request, strategy: 'ledger' });
    await services.messages.appendMany(session.id, counted([...turns(9, 100, 900), user('The newest request')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 2 });
    expect(calls()).toBe(2);
    expect(JSON.stringify(prepared.messages)).not.toContain('Told for the time 1.');
  });

  it('does not mention a replaced message', async () => {
    await using atRest = await startAtRest();
    const { services, session, engine, request } = atRest;
    await engine.prepareSummary(request);
    const { messages } = await services.messages.loadView(session.id);
    const newest = messages.findLast(({ role }) => role === 'user')!;
    const lease = { leaseOwner: 'test', leaseMs: 60_000, maxTokens: 100_000 };
    const message = counted([user('Another newest request')])[0]!;
    const asked = {
      sessionId: session.id,
      message,
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: null,
      ...lease,
    };
    const begun = await services.turns.begin({ ...asked, replaces: newest.id });
    if (begun.kind === 'started') await services.turns.finish(begun.turn.id, { status: 'completed', error: null });
    await services.messages.appendMany(session.id, counted([...turns(3, 100, 900), user('And on')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 1 });
    expect(JSON.stringify(prepared.messages)).not.toContain('Request 9');
  });

  it('is not taken for what another strategy or particular instructions ask for', async () => {
    await using atRest = await startAtRest();
    const { services, session, calls, engine, request } = atRest;
    await engine.prepareSummary(request);
    const asked = await engine.compact({ ...request, strategy: 'middle-removal' });
    expect(asked).toMatchObject({ strategy: 'middle-removal' });
    await services.context.undo(session, asked?.id ?? '');
    await engine.prepareSummary(request);
    expect(await engine.compact(request, 'Keep the colours.')).toMatchObject({ strategy: 'reactive-overflow' });
    expect(calls()).toBe(3);
  });

  it('is never written twice concurrently, nor again while it is valid', async () => {
    await using atRest = await startAtRest();
    const { calls, engine, request } = atRest;
    await Promise.all([engine.prepareSummary(request), engine.prepareSummary(request)]);
    await engine.prepareSummary(request);
    expect(calls()).toBe(1);
  });

  it.each([
    ['below the soft limit', {}, turns(2, 100, 100), 'reactive-overflow'],
    ['where it is switched off', { backgroundSummaries: false }, AT_REST, 'reactive-overflow'],
    ['where compaction is by hand only', { autoCompact: false }, AT_REST, 'reactive-overflow'],
    ['for a strategy that asks no model', {}, AT_REST, 'ledger'],
  ] as const)('is not written %s', async (_, settings, messages, strategy) => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      messages,
    );
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    await engineWith(settings).prepareSummary({ ...requestFor(services, session, summarizer), strategy });
    expect(calls()).toBe(0);
  });

  it('that fails changes nothing, and why is recorded', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const engine = engineWith();
    const failing = summarizerOf(() => Promise.reject(new Error('overloaded')));
    await engine.prepareSummary(requestFor(services, session, failing));
    const told = expect.stringMatching(/not usable\.\nAttempt 1: overloaded\nAttempt 2: overloaded$/) as unknown;
    expect(await rounds(services, session)).toMatchObject([
      { status: 'failed', trigger: 'background', usage: null, error: told },
    ]);
    const { summarizer, calls } = countingSummarizer();
    expect(await engine.compact(requestFor(services, session, summarizer))).toMatchObject({ round: 1 });
    expect(calls()).toBe(1);
  });

  it.each([
    ['the compaction was asked for in particular', { instructions: 'Keep the colours.' }, 3],
    ['another strategy compacted', { strategy: 'ledger' as const }, 1],
  ])('is paid for also where it is not used: %s', async (_, { instructions, ...how }: Asked, cents) => {
    await using context = await startSummarized(unasked, AT_REST);
    const { services, session } = context;
    const engine = engineWith();
    const request = requestFor(services, session, paidSummarizer(0.01 * cents));
    await engine.prepareSummary(request);
    expect(await costOf(services, session)).toBeNull();
    const compacted = await engine.compact({ ...request, ...how }, instructions);
    expect(compacted).toMatchObject({ round: 1 });
    const asked = instructions === undefined ? 1 : 2;
    expect(await costOf(services, session)).toBeCloseTo(0.01 * cents * asked);
    expect(await rounds(services, session)).toContainEqual(
      expect.objectContaining({ status: 'failed', trigger: 'background', modelId: SUMMARIZER }),
    );
  });

  it('is paid for also where its text was not usable, or the process ends before it is needed', async () => {
    await using context = await startSummarized(unasked, AT_REST);
    const { services, session } = context;
    const engine = engineWith();
    await engine.prepareSummary(requestFor(services, session, paidSummarizer(0.01, 'No sections at all.')));
    expect(await costOf(services, session)).toBeCloseTo(0.02);
    await engine.prepareSummary(requestFor(services, session, paidSummarizer(0.01)));
    await engine.close();
    await engine.close();
    expect(await costOf(services, session)).toBeCloseTo(0.03);
  });
});

describe('a compaction that begins while a summary is being prepared', () => {
  const LATER = [...turns(3, 100, 900), user('The newest request')];

  /** Tracks how many concurrent model calls the session has. */
  function heldOnce() {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const seen = { calls: 0, atOnce: 0, most: 0 };
    const summarizer = summarizerOf(async (signal) => {
      seen.calls += 1;
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      asked.resolve();
      try {
        if (seen.calls === 1) await orAborted(held.promise, signal);
        return `${TOLD}\nTold for the time ${seen.calls}.`;
      } finally {
        seen.atOnce -= 1;
      }
    });
    return { summarizer, asked: asked.promise, finish: () => held.resolve(), seen };
  }

  it('waits for it and uses it', async () => {
    await using context = await startSummarized(unasked, turns(10, 100, 700));
    const { services, session } = context;
    const { summarizer, asked, finish, seen } = heldOnce();
    const engine = engineWith();
    const request = requestFor(services, session, summarizer);
    const background = engine.prepareSummary(request);
    await asked;
    await services.messages.appendMany(session.id, counted(LATER));
    const step = engine.prepare(request);
    await compacting(services, session);
    finish();
    await background;
    expect((await step).compaction).toMatchObject({ round: 1, strategy: 'reactive-overflow' });
    expect(JSON.stringify((await step).messages)).toContain('Told for the time 1.');
    expect(seen).toMatchObject({ calls: 1, most: 1 });
  });

  it('stops it first where it is asked for in particular', async () => {
    await using context = await startSummarized(unasked, turns(10, 100, 700));
    const { services, session } = context;
    const { summarizer, asked, seen } = heldOnce();
    const engine = engineWith();
    const request = requestFor(services, session, summarizer);
    const background = engine.prepareSummary(request);
    await asked;
    expect(await engine.compact(request, 'Keep the colours.')).toMatchObject({
      round: 1,
      strategy: 'reactive-overflow',
    });
    await background;
    expect(seen).toMatchObject({ calls: 2, most: 1 });
  });

  it('can be cancelled, and stops the model that it waits for', async () => {
    await using context = await startSummarized(unasked, turns(10, 100, 700));
    const { services, session } = context;
    const { summarizer, asked, seen } = heldOnce();
    const engine = engineWith();
    const request = requestFor(services, session, summarizer);
    const background = engine.prepareSummary(request);
    await asked;
    const running = engine.compact(request);
    await compacting(services, session);
    expect(engine.cancelCompaction(session.id)).toBe(true);
    await expect(running).rejects.toThrow('cancelled');
    await background;
    expect(seen).toMatchObject({ calls: 1, atOnce: 0 });
  });

  it('stops that model also when it is cancelled before it has come to wait for it', async () => {
    const [looking, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHeld = false;
    await using context = await startContextSession(turns(10, 100, 700), (stored) => {
      const pastCompactions = stored.pastCompactions.bind(stored);
      return {
        pastCompactions: async () => {
          if (isHeld) {
            looking.resolve();
            await looked.promise;
          }
          return pastCompactions();
        },
      };
    });
    const { manager, session } = context;
    const { summarizer, asked, seen } = heldOnce();
    const request = { ...context.request, summarizer };
    const background = manager.prepareSummary(request);
    await asked;
    isHeld = true;
    const running = manager.compact(request);
    await looking.promise;
    expect(manager.cancelCompaction(session.id)).toBe(true);
    looked.resolve();
    await expect(running).rejects.toThrow('cancelled');
    await background;
    expect(seen).toMatchObject({ calls: 1, atOnce: 0 });
  });

  it('keeps the next one from beginning before it has ended', async () => {
    await using context = await startSummarized(unasked, turns(10, 100, 700));
    const { services, session } = context;
    const { summarizer, asked, finish, seen } = heldOnce();
    const engine = engineWith();
    const request = requestFor(services, session, summarizer);
    const running = engine.compact(request);
    await asked;
    const here = engine.prepareSummary(request);
    const elsewhere = engineWith().prepareSummary(request);
    finish();
    await Promise.all([running, here, elsewhere]);
    expect(seen).toMatchObject({ calls: 1, most: 1 });
  });

  it('prevents a second summary when the running compaction is not visible in the database yet', async () => {
    const unseen = { settled: () => Promise.resolve() };
    await using context = await startContextSession(turns(10, 100, 700), () => unseen);
    const { manager, request } = context;
    const { summarizer, asked, finish, seen } = heldOnce();
    const running = manager.compact({ ...request, summarizer });
    await asked;
    await manager.prepareSummary({ ...request, summarizer });
    expect(seen.calls).toBe(1);
    finish();
    await running;
  });
});

describe('the summary of a strategy that acts early', () => {
  const strategy = 'proactive-threshold';

  it('is prepared before its trigger, and used when that is reached', async () => {
    await using context = await startSummarized(unasked, turns(7, 100, 700));
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = engineWith();
    const request = { ...requestFor(services, session, summarizer), strategy } as const;
    const { usage } = await engine.inspect(request);
    expect(usage.currentTokens).toBeLessThan(8_000);
    expect(usage.currentTokens).toBeLessThan(usage.usableTokens * 0.7);
    await engine.prepareSummary(request);
    expect(calls()).toBe(1);
    await services.messages.appendMany(session.id, counted([...turns(1, 100, 600), user('The newest request')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 1, strategy });
    expect(prepared.tokens.final).toBeLessThan(8_000);
    expect(calls()).toBe(1);
  });

  it('is used also where it leaves more than the trigger, and then stands for newer turns too', async () => {
    await using context = await startSummarized(unasked, turns(7, 100, 700));
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = engineWith();
    const request = { ...requestFor(services, session, summarizer), strategy } as const;
    await engine.prepareSummary(request);
    // With what it keeps, below the soft limit of an overflow (8,400) and above this trigger (8,000).
    await services.messages.appendMany(session.id, counted([...turns(5, 100, 700), user('The newest request')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 1, strategy });
    expect(await rounds(services, session)).toMatchObject([{ status: 'completed' }]);
    expect(prepared.tokens.final).toBeLessThan(8_000);
    expect(calls()).toBe(1);
  });
});

const unasked = summaryModel(() => Promise.reject(new Error('The services own no summary here.')));

interface Asked {
  readonly strategy?: 'ledger';
  readonly instructions?: string;
}

/** A summarizer whose provider says what a call costs; US dollars. */
function paidSummarizer(cost: number, told = TOLD): Summarizer {
  const usage = { inputTokens: 700, outputTokens: 50, cost };
  const answer = () => Promise.resolve({ text: told, finishReason: 'stop', usage });
  return { modelId: SUMMARIZER, inputTokens: 10_000, summarize: answer, prune: answer };
}

const costOf = async (services: Services, session: Session) =>
  (await services.context.inspect(session)).usage.cost.total;

async function compacting(services: Services, { id }: Session): Promise<void> {
  await expect.poll(() => services.compactions.isCompacting(id)).toBe(true);
}
