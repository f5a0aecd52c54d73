import { describe, expect, it } from 'vitest';
import {
  chartMarks,
  chartPoints,
  chartRows,
  contextKinds,
  fitsBelowLimits,
  groupMarks,
  markPlace,
  roundTicks,
  thinPoints,
} from '#components/admin/session/chart-points';
import { compactionRecord, contextSample } from '#tests/support/context-history';
import {
  gainPercent,
  newestActive,
  newestFirst,
  recordName,
  triggerWords,
} from '#components/admin/session/compaction-records';
import { historySummary } from '#components/admin/session/chart-section';
import type { CompactionRecord } from '#server/core/compactions';
import type { ContextSample } from '#server/core/context-report';

describe('chartPoints', () => {
  it('counts steps from 1 and keeps the figures', () => {
    const [first, second] = chartPoints([contextSample(7, { user: 100 }), contextSample(9, { user: 50, tools: 50 })]);
    expect(first).toMatchObject({ sampleId: 7, step: 1, time: 7000, total: 100, user: 100, isEstimated: true });
    expect(second).toMatchObject({ step: 2, usable: 12_000, window: 16_000, tools: 50 });
  });

  it('stretches the kinds to what the provider reported', () => {
    const [point] = chartPoints([
      contextSample(1, { user: 300, toolResults: 100 }, { currentTokens: 600, source: 'reported' }),
    ]);
    expect(point).toMatchObject({ user: 450, toolResults: 150, isEstimated: false });
  });

  it('has zeros where nothing was counted', () => {
    const [point] = chartPoints([contextSample(1, {}, { currentTokens: 80 })]);
    expect(contextKinds.map((kind) => point?.[kind])).toEqual(contextKinds.map(() => 0));
  });
});

const history = (tokens: readonly number[]) =>
  chartPoints(tokens.map((user, index) => contextSample(index + 1, { user })));

describe('thinPoints', () => {
  it('leaves few points alone', () => {
    const points = history([1, 2, 3]);
    expect(thinPoints(points, 3)).toBe(points);
  });

  it('keeps the ends and every peak', () => {
    const points = history(Array.from({ length: 1000 }, (_, index) => (index === 637 ? 9000 : 100 + (index % 7))));
    const thinned = thinPoints(points, 50);
    expect(thinned.length).toBeLessThan(60);
    expect(thinned[0]?.step).toBe(1);
    expect(thinned.at(-1)?.step).toBe(1000);
    expect(thinned.map((point) => point.total)).toContain(9000);
    expect(thinned.map((point) => point.step)).toEqual(thinned.map((point) => point.step).toSorted((a, b) => a - b));
  });

  it('keeps what stands before and after a mark', () => {
    const points = history(Array.from({ length: 400 }, (_, index) => 1000 + index));
    const steps = thinPoints(points, 10, new Set([203])).map((point) => point.step);
    expect(steps).toEqual(expect.arrayContaining([202, 203]));
  });

  it('keeps each change of the window', () => {
    const points = chartPoints(
      Array.from({ length: 100 }, (_, index) =>
        contextSample(index + 1, { user: 500 - index }, { contextWindow: index < 55 ? 16_000 : 32_000 }),
      ),
    );
    expect(thinPoints(points, 4).map((point) => point.step)).toContain(56);
  });
});

describe('fitsBelowLimits', () => {
  it('is true where all is far below usable', () => {
    expect(fitsBelowLimits(history([100, 900]))).toBe(true);
    expect(fitsBelowLimits(history([100, 9000, 200]))).toBe(false);
  });
});

it('names rounds, prunes and attempts', () => {
  expect(recordName({ strategy: 'ledger', status: 'undone', round: 2 })).toBe('Round 2');
  expect(recordName({ strategy: 'ledger', status: 'failed', round: 3 })).toBe('Attempt at round 3');
  expect(recordName({ strategy: 'prune', status: 'completed', round: 3 })).toBe('Prune');
});

it('says why it ran', () => {
  expect(triggerWords({ trigger: 'manual' })).toBe('Started manually');
  expect(triggerWords({ trigger: 'overflow' })).toBe('Because the next request would not have fit');
});

it('knows the gain, and none of what failed', () => {
  expect(gainPercent({ status: 'completed', tokensBefore: 200, tokensAfter: 50 })).toBe(75);
  expect(gainPercent({ status: 'completed', tokensBefore: 100, tokensAfter: 110 })).toBe(-10);
  expect(gainPercent({ status: 'failed', tokensBefore: 200, tokensAfter: 0 })).toBeNull();
  expect(gainPercent({ status: 'completed', tokensBefore: 0, tokensAfter: 0 })).toBeNull();
});

it('finds what an undo would take back', () => {
  const records = [
    compactionRecord({ id: 'a', createdAt: 1 }),
    compactionRecord({ id: 'b', createdAt: 2 }),
    compactionRecord({ id: 'c', createdAt: 2 }),
    compactionRecord({ id: 'd', createdAt: 3, status: 'failed' }),
    compactionRecord({ id: 'e', createdAt: 4, status: 'undone' }),
  ];
  expect(newestFirst(records).map((record) => record.id)).toEqual(['e', 'd', 'c', 'b', 'a']);
  expect(newestActive(records)?.id).toBe('c');
  expect(newestActive([])).toBeNull();
});

const four = chartPoints([1, 2, 3, 4].map((id) => contextSample(id, { user: id * 100 })));

describe('chartMarks', () => {
  it('puts a record at the first step measured after it, oldest first', () => {
    const marks = chartMarks(
      [
        compactionRecord({ id: 'late', createdAt: 2500 }),
        compactionRecord({ id: 'early', createdAt: 900, strategy: 'prune' }),
      ],
      four,
    );
    expect(marks.map(({ id, step, kind }) => ({ id, step, kind }))).toEqual([
      { id: 'early', step: 1, kind: 'prune' },
      { id: 'late', step: 3, kind: 'compaction' },
    ]);
  });

  it('puts what nothing was measured after at the last step', () => {
    expect(chartMarks([compactionRecord({ id: 'x', createdAt: 99_000 })], four)[0]?.step).toBe(4);
    expect(chartMarks([compactionRecord({ id: 'x', createdAt: 99_000 })], [])[0]?.step).toBe(1);
  });

  it('tells failures and what was taken back, prunes too', () => {
    const records = [
      compactionRecord({ id: 'a', status: 'failed' }),
      compactionRecord({ id: 'b', status: 'undone', strategy: 'prune' }),
    ];
    expect(chartMarks(records, four).map((mark) => mark.kind)).toEqual(['failed', 'undone']);
  });
});

describe('groupMarks', () => {
  it('puts marks together that would cover each other', () => {
    const marks = chartMarks(
      [0, 5, 18, 30].map((at) => compactionRecord({ id: String(at), createdAt: at })),
      four,
    );
    const groups = groupMarks(marks, (mark) => mark.time, 20);
    expect(groups.map((group) => group.map((mark) => mark.id))).toEqual([['0', '5', '18'], ['30']]);
  });
});

describe('chartRows', () => {
  it('gives the newest level a width', () => {
    expect(chartRows(four, 'step').map((row) => row.x)).toEqual([1, 2, 3, 4, 5]);
    expect(chartRows(four, 'time').map((row) => row.x)).toEqual([1000, 2000, 3000, 4000, 5000]);
    expect(chartRows([], 'step')).toEqual([]);
  });

  it('keeps marks within what is drawn', () => {
    const rows = chartRows(four, 'time');
    const at = (createdAt: number) => {
      const [mark] = chartMarks([compactionRecord({ id: 'x', createdAt })], four);
      return mark && markPlace(mark, 'time', rows);
    };
    expect([at(0), at(2500), at(9_000_000)]).toEqual([1000, 2500, 5000]);
  });
});

it('puts ticks at round figures within the axis', () => {
  expect(roundTicks(17_280)).toEqual([0, 5000, 10_000, 15_000]);
  expect(roundTicks(3293)).toEqual([0, 1000, 2000, 3000]);
  expect(roundTicks(0)).toEqual([0]);
});

function summary(samples: readonly ContextSample[], records: readonly CompactionRecord[] = []): string {
  const points = chartPoints(samples);
  return historySummary(points, chartMarks(records, points), (time) => `${String(time / 1000)} s`);
}

it('says how it stands, what the peak was and what was done', () => {
  const samples = [
    contextSample(1, { instructions: 500, user: 700 }),
    contextSample(2, { instructions: 500, toolResults: 10_500 }),
    contextSample(3, { instructions: 500, summary: 2500 }),
  ];
  const records = [
    compactionRecord({ id: 'a', createdAt: 1500, strategy: 'prune', tokensBefore: 9000, tokensAfter: 8000 }),
    compactionRecord({ id: 'b', createdAt: 2500, tokensBefore: 11_000, tokensAfter: 3000 }),
    compactionRecord({ id: 'c', createdAt: 2600, status: 'failed', tokensBefore: 3000, tokensAfter: 0 }),
    compactionRecord({ id: 'd', createdAt: 2700, status: 'undone', tokensBefore: 3000, tokensAfter: 0 }),
  ];
  expect(summary(samples, records)).toBe(
    '3 measurements, from 1 s to 3 s. Now 3,000 of 12,000 usable tokens (25 %), most of it summary (83 %). ' +
      'The peak was 11,000 tokens, at step 2. 1 compaction and 1 prune freed 9,000 tokens. 1 attempt failed.',
  );
});

it('says no more than there is', () => {
  expect(summary([])).toBe('');
  expect(summary([contextSample(1, { user: 1200 })])).toBe(
    'One measurement, 1 s. Now 1,200 of 12,000 usable tokens (10 %), most of it user messages (100 %).',
  );
});
