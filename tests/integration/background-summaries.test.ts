import { describe, expect, it } from 'vitest';
import { turns } from '#tests/support/context-session';
import {
  SUMMARIZER,
  counted,
  countingSummarizer,
  managerWith,
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

  it('is used, with its cost, by the compaction that needs it; what was said since stays verbatim', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = managerWith()(services);
    const request = requestFor(session, summarizer);
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

  it('is dropped when another compaction came between', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = managerWith()(services);
    const request = requestFor(session, summarizer);
    await engine.prepareSummary(request);
    // In another process, so that this one does not know.
    await managerWith()(services).compact({ ...request, strategy: 'ledger' });
    await services.messages.appendMany(session.id, counted([...turns(9, 100, 900), user('The newest request')]));
    const prepared = await engine.prepare(request);
    expect(prepared.compaction).toMatchObject({ round: 2 });
    expect(calls()).toBe(2);
    expect(JSON.stringify(prepared.messages)).not.toContain('Told for the time 1.');
  });

  it('is not taken for what another strategy or particular instructions ask for', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = managerWith()(services);
    const request = requestFor(session, summarizer);
    await engine.prepareSummary(request);
    const asked = await engine.compact({ ...request, strategy: 'middle-removal' });
    expect(asked).toMatchObject({ strategy: 'middle-removal' });
    await services.context.undo(session.id, asked?.id ?? '');
    await engine.prepareSummary(request);
    expect(await engine.compact(request, 'Keep the colours.')).toMatchObject({ strategy: 'reactive-overflow' });
    expect(calls()).toBe(3);
  });

  it('is never written twice at once, nor again while it still holds', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const { summarizer, calls } = countingSummarizer();
    const engine = managerWith()(services);
    const request = requestFor(session, summarizer);
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
    await managerWith(settings)(services).prepareSummary({ ...requestFor(session, summarizer), strategy });
    expect(calls()).toBe(0);
  });

  it('that fails leaves no trace but the lack of it', async () => {
    await using context = await startSummarized(
      summaryModel(() => Promise.resolve('')),
      AT_REST,
    );
    const { services, session } = context;
    const engine = managerWith()(services);
    const failing = summarizerOf(() => Promise.reject(new Error('overloaded')));
    await engine.prepareSummary(requestFor(session, failing));
    expect(await rounds(services, session)).toEqual([]);
    const { summarizer, calls } = countingSummarizer();
    expect(await engine.compact(requestFor(session, summarizer))).toMatchObject({ round: 1 });
    expect(calls()).toBe(1);
  });
});
