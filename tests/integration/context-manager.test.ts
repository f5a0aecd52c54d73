import { describe, expect, it } from 'vitest';
import { ConflictError } from '#server/core/errors';
import type { CompactionData } from '#server/core/conversation/events';
import type { Summarizer } from '#server/context/ports';
import { call, result, text } from '#tests/support/arbitrary-history';
import { heldSummarizer, startContextSession, turns } from '#tests/support/context-session';
import { waitsForCompaction } from '#tests/support/summary-models';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const user = (value: string) => ({ role: 'user' as const, parts: [text(value)] });

describe('preparing a step', () => {
  it('cuts inside one long turn and keeps its request verbatim, round after round', async () => {
    const wish = `Rework the whole site, exactly like this: ${'detail '.repeat(200)}`;
    const steps = (from: number) =>
      Array.from({ length: 12 }, (_, index) => [
        { role: 'assistant' as const, parts: [call(`c${from + index}`)] },
        { role: 'tool' as const, parts: [result(`c${from + index}`, 'output '.repeat(1_200))] },
      ]).flat();
    await using context = await startContextSession([...turns(2, 100), user(wish), ...steps(10)]);
    const { manager, request, services, session } = context;
    for (let round = 1; round <= 3; round += 1) {
      const prepared = await manager.prepare(request, 'provider-overflow');
      expect(prepared.compaction).toMatchObject({ round });
      const [first] = prepared.messages;
      expect(first).toMatchObject({ role: 'user', content: [{}, { type: 'text', text: wish }] });
      expect(prepared.usage.isOverflow).toBe(false);
      expect(findSequenceProblems(prepared.messages)).toEqual([]);
      await services.messages.appendMany(session.id, steps(100 * round));
    }
  });
});

describe('a compaction', () => {
  it('that fails to be stored leaves the view as it was and lets go of the session', async () => {
    await using context = await startContextSession(turns(8, 400, 200), () => ({
      saveCompaction: () => Promise.reject(new Error('disk full')),
    }));
    const phases: CompactionData[] = [];
    const listener = { onCompaction: (data: CompactionData) => void phases.push(data) };
    const before = await context.manager.inspect(context.request);

    await expect(context.manager.compact({ ...context.request, listener })).rejects.toThrow('disk full');
    expect(phases).toMatchObject([
      { phase: 'start', reason: 'manual' },
      { phase: 'failed', message: 'disk full' },
    ]);
    expect(await context.manager.inspect(context.request)).toEqual(before);
    const { currentlyCompacting, compactionCount } = await context.services.sessions.get(context.session.id);
    expect({ currentlyCompacting, compactionCount }).toEqual({ currentlyCompacting: false, compactionCount: 0 });
  });

  it.each(['complete', 'failed'] as const)('is reported as %s once it has released the session', async (end) => {
    const [releasing, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using context = await startContextSession(turns(8, 400, 200), (session) => {
      const holdLease = session.holdLease.bind(session);
      return {
        ...(end === 'failed' && { saveCompaction: () => Promise.reject(new Error('disk full')) }),
        async holdLease(...args) {
          const lease = await holdLease(...args);
          const dispose = async () => {
            releasing.resolve();
            await release.promise;
            await lease[Symbol.asyncDispose]();
          };
          return { owner: lease.owner, [Symbol.asyncDispose]: dispose };
        },
      };
    });
    const phases: string[] = [];
    const listener = { onCompaction: ({ phase }: CompactionData) => void phases.push(phase) };
    const running = context.manager.compact({ ...context.request, listener }).catch(() => null);
    await releasing.promise;
    expect(phases).toEqual(['start']);
    release.resolve();
    await running;
    expect(phases).toEqual(['start', end]);
  });

  it('refuses a second manual one while it runs; a step waits for it and clears nothing more', async () => {
    const { summarizer, asked, finish } = heldSummarizer();
    const tall = [...turns(10, 900, 700), user('The newest request')];
    await using context = await startContextSession(tall);
    const { manager, request, services, session } = context;
    const running = manager.compact({ ...request, summarizer });
    await asked;
    await expect(manager.compact(request)).rejects.toThrow(ConflictError);
    const waits = waitsForCompaction(services);
    const waiting = manager.prepare(request);
    // One that does not wait is over first.
    await Promise.race([waits, waiting]);
    finish();

    expect(await running).toMatchObject({ round: 1, strategy: 'reactive-overflow' });
    const prepared = await waiting;
    expect(prepared.compaction).toBeNull();
    expect(JSON.stringify(prepared.messages[0])).toContain('The current state is told here.');
    const records = await services.compactions.list(session.id);
    expect(records.filter((record) => record.strategy !== 'prune')).toHaveLength(1);
    const kept = (await services.messages.loadView(session.id)).messages.flatMap((message) => message.parts);
    expect(kept.filter((part) => part.compactedAt !== null)).toEqual([]);
  });
});

describe('a step of a session that is being compacted manually', () => {
  it('waits for it, though its request fits', async () => {
    const { summarizer, asked, finish } = heldSummarizer();
    await using context = await startContextSession(turns(8, 400, 200));
    const { manager, request } = context;
    const running = manager.compact({ ...request, summarizer });
    await asked;
    let hasStarted = false;
    const step = manager.prepare(request).then((prepared) => {
      hasStarted = true;
      return prepared;
    });
    // Long enough for a step that does not wait to be prepared.
    await manager.inspect(request);
    await manager.inspect(request);
    expect(hasStarted).toBe(false);
    finish();
    expect(await running).toMatchObject({ round: 1 });
    expect(JSON.stringify((await step).messages[0])).toContain('The current state is told here.');
  });

  it('ends with its turn, while it waits', async () => {
    const { summarizer, asked, finish } = heldSummarizer();
    await using context = await startContextSession(turns(8, 400, 200));
    const { manager, request } = context;
    const running = manager.compact({ ...request, summarizer });
    await asked;
    const stop = new AbortController();
    const step = manager.prepare({ ...request, signal: stop.signal });
    stop.abort(new Error('The turn was cancelled.'));
    await expect(step).rejects.toThrow('The turn was cancelled.');
    finish();
    await running;
  });
});

describe('a compaction that is cancelled before it is needed', () => {
  it('is not begun again by the next steps of the turn, but by the next turn', async () => {
    const held = heldSummarizer();
    // Above the trigger of proactive-threshold, far from usable.
    await using context = await startContextSession([...turns(10, 100, 700), user('The newest request')]);
    const { manager, services, session } = context;
    const request = { ...context.request, strategy: 'proactive-threshold', summarizer: held.summarizer } as const;
    const step = manager.prepare(request);
    await held.asked;
    expect(manager.cancelCompaction(session.id)).toBe(true);
    expect((await step).compaction).toBeNull();

    let calls = 0;
    const counting: Summarizer = {
      ...held.summarizer,
      summarize: () => {
        calls += 1;
        return Promise.reject(new Error('overloaded'));
      },
    };
    const next = { ...request, summarizer: counting };
    expect((await manager.prepare(next)).compaction).toBeNull();
    expect(calls).toBe(0);
    await services.messages.appendMany(session.id, [user('And now?')]);
    expect((await manager.prepare(next)).compaction).toMatchObject({ round: 1 });
    expect(calls).toBeGreaterThan(0);
  });
});

describe('the cost of a compaction without effect', () => {
  const usage = { inputTokens: 700, outputTokens: 50, cost: 0.01 };
  const NARRATIVE = ['Original Task', 'What Was Accomplished', 'Current State', 'What Comes Next']
    .map((heading) => `### ${heading}\nThe ${heading.toLowerCase()} is told here.`)
    .join('\n\n');

  it.each([
    ['it gained nothing', [user('Hello'), user('detail '.repeat(8_200))], 0.01],
    ['it failed to be stored', turns(8, 400, 200), 0.01],
    ['it was cancelled too late', turns(8, 400, 200), 0.01],
    ['its texts were refused', turns(8, 400, 200), 0.02],
  ] as const)('is counted where %s', async (how, messages, cost) => {
    const broken = () => Promise.reject(new Error('disk full'));
    const isStored = how === 'it was cancelled too late' || how === 'it gained nothing';
    await using context = await startContextSession(messages, () => (isStored ? {} : { saveCompaction: broken }));
    const { manager, session, services } = context;
    const answer = () => {
      if (how === 'it was cancelled too late') manager.cancelCompaction(session.id);
      const told = how === 'its texts were refused' ? '' : NARRATIVE;
      return Promise.resolve({ text: told, finishReason: 'stop', usage });
    };
    const summarizer = { modelId: 'test/summarizer', inputTokens: 10_000, summarize: answer, prune: answer };
    const done = await manager.compact({ ...context.request, summarizer }).catch((error: Error) => error.message);
    expect(typeof done === 'object' ? done : 'failed').toBe(how === 'it gained nothing' ? null : 'failed');
    const [record] = await services.compactions.list(session.id);
    expect(record).toMatchObject({ status: 'failed', contextWindow: 16_000 });
    expect(record?.usage?.cost).toBeCloseTo(cost);
    expect((await services.context.inspect(session)).usage.cost.total).toBeCloseTo(cost);
  });
});
