import { describe, expect, it } from 'vitest';
import { ConflictError, ContextOverflowError } from '#server/core/errors';
import type { CompactionData } from '#server/core/events';
import { SUMMARY_LABEL } from '#server/context/view';
import { call, result, text } from '#tests/support/arbitrary-history';
import { heldSummarizer, startContextSession, turns } from '#tests/support/context-session';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const user = (value: string) => ({ role: 'user' as const, parts: [text(value)] });

describe('preparing a step', () => {
  it('changes nothing while the conversation fits', async () => {
    await using context = await startContextSession(turns(3, 300));
    const { manager, request } = context;
    const before = await manager.inspect(request);
    const prepared = await manager.prepare(request);
    expect(prepared).toMatchObject({ messages: before.messages, prunedOutputs: 0, compaction: null });
    expect(new Set(Object.values(prepared.tokens))).toEqual(new Set([before.usage.currentTokens]));
    expect(await context.services.compactions.list(context.session.id)).toEqual([]);
  });

  it('prunes old outputs first, and does not compact when that is enough', async () => {
    await using context = await startContextSession(turns(9, 1_500));
    const stored = await context.everything();
    const prepared = await context.manager.prepare(context.request);
    expect(prepared.compaction).toBeNull();
    expect(prepared.prunedOutputs).toBeGreaterThan(0);
    expect(prepared.tokens.before).toBeGreaterThan(prepared.usage.usableTokens);
    expect(prepared.tokens.afterPrune).toBeLessThanOrEqual(prepared.usage.usableTokens);
    expect(JSON.stringify(prepared.messages)).toContain('Old tool result content cleared');
    expect(JSON.stringify(prepared.messages.at(-2))).toContain('output output');
    expect(contents(await context.everything())).toEqual(contents(stored));
  });

  it('compacts when pruning is not enough, below its target, and is idempotent', async () => {
    await using context = await startContextSession([...turns(10, 900, 700), user('The newest request')]);
    const { manager, request } = context;
    const prepared = await manager.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 1, strategy: 'ledger' });
    expect(prepared.tokens.final).toBeLessThan(prepared.usage.usableTokens * 0.6);
    expect(findSequenceProblems(prepared.messages)).toEqual([]);
    expect(JSON.stringify(prepared.messages[0])).toContain(SUMMARY_LABEL);
    expect(prepared.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'The newest request' }] });

    const again = await manager.prepare(request);
    expect(again).toMatchObject({ messages: prepared.messages, compaction: null, prunedOutputs: 0 });
    expect(await manager.compact(request)).toBeNull();
  });

  it('prunes and compacts on demand although it seems to fit', async () => {
    await using context = await startContextSession(turns(8, 400, 200));
    const prepared = await context.manager.prepare(context.request, 'provider-overflow');
    expect(prepared.tokens.before).toBeLessThan(prepared.usage.usableTokens);
    expect(prepared.compaction).toMatchObject({ round: 1 });
    const [record] = await context.services.compactions.list(context.session.id);
    expect(record).toMatchObject({ trigger: 'provider-overflow', status: 'completed' });
  });

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
      expect(prepared.messages[1]).toEqual({ role: 'user', content: [{ type: 'text', text: wish }] });
      expect(prepared.usage.isOverflow).toBe(false);
      expect(findSequenceProblems(prepared.messages)).toEqual([]);
      await services.messages.appendMany(session.id, steps(100 * round));
    }
  });

  it('fails with a typed error when nothing helps, and loses nothing', async () => {
    await using context = await startContextSession([...turns(3, 300), user('word '.repeat(16_000))]);
    const stored = await context.everything();
    const failure = context.manager.prepare(context.request);
    await expect(failure).rejects.toThrow(ContextOverflowError);
    await expect(failure).rejects.toMatchObject({ details: { usableTokens: 12_000 } });
    await expect(context.manager.prepare(context.request)).rejects.toThrow(ContextOverflowError);
    expect(contents(await context.everything())).toEqual(contents(stored));
  });
});

describe('a compaction', () => {
  it.each(['fails to be stored', 'is aborted'])(
    'that %s leaves the view as it was and lets go of the session',
    async (how) => {
      const stop = new AbortController();
      const { summarizer, asked, finish } = heldSummarizer();
      const fail = how === 'is aborted' ? undefined : () => Promise.reject(new Error('disk full'));
      await using context = await startContextSession(turns(8, 400, 200), (store) => ({
        ...store,
        ...(fail && { saveCompaction: fail }),
      }));
      const phases: CompactionData[] = [];
      const listener = { onCompaction: (data: CompactionData) => void phases.push(data) };
      const before = await context.manager.inspect(context.request);

      const running = context.manager.compact({ ...context.request, summarizer, listener, signal: stop.signal });
      await asked;
      expect((await context.services.sessions.get(context.session.id)).currentlyCompacting).toBe(true);
      if (fail) finish();
      else stop.abort(new Error('Not now.'));

      const message = fail ? 'disk full' : 'Not now.';
      await expect(running).rejects.toThrow(message);
      expect(phases).toMatchObject([
        { phase: 'start', reason: 'manual' },
        { phase: 'failed', message },
      ]);
      expect(await context.manager.inspect(context.request)).toEqual(before);
      const { currentlyCompacting, compactionCount } = await context.services.sessions.get(context.session.id);
      expect({ currentlyCompacting, compactionCount }).toEqual({ currentlyCompacting: false, compactionCount: 0 });
    },
  );

  it('refuses a second one by hand while it runs; a step waits for it and clears nothing more', async () => {
    const { summarizer, asked, finish } = heldSummarizer();
    const tall = [...turns(10, 900, 700), user('The newest request')];
    await using context = await startContextSession(tall);
    const { manager, request, services, session } = context;
    const running = manager.compact({ ...request, summarizer });
    await asked;
    await expect(manager.compact(request)).rejects.toThrow(ConflictError);
    const waiting = manager.prepare(request);
    setTimeout(finish, 150);

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

/** What was said, without the marks and counts that pruning sets. */
function contents(messages: unknown): unknown {
  return (messages as { role: string; parts: { content: unknown }[] }[]).map(({ role, parts }) => [
    role,
    parts.map((part) => part.content),
  ]);
}
