import { describe, expect, it } from 'vitest';
import {
  chartMarks,
  chartPoints,
  chartRows,
  groupMarks,
  markPlace,
  roundTicks,
} from '#components/admin/session/chart-points';
import {
  gainPercent,
  newestActive,
  newestFirst,
  recordName,
  triggerWords,
} from '#components/admin/session/compaction-records';
import { compactionRecord, contextSample } from '#tests/support/context-history';

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

const points = chartPoints([1, 2, 3, 4].map((id) => contextSample(id, { user: id * 100 })));

describe('chartMarks', () => {
  it('puts a record at the first step measured after it, oldest first', () => {
    const marks = chartMarks(
      [
        compactionRecord({ id: 'late', createdAt: 2500 }),
        compactionRecord({ id: 'early', createdAt: 900, strategy: 'prune' }),
      ],
      points,
    );
    expect(marks.map(({ id, step, kind }) => ({ id, step, kind }))).toEqual([
      { id: 'early', step: 1, kind: 'prune' },
      { id: 'late', step: 3, kind: 'compaction' },
    ]);
  });

  it('puts what nothing was measured after at the last step', () => {
    expect(chartMarks([compactionRecord({ id: 'x', createdAt: 99_000 })], points)[0]?.step).toBe(4);
    expect(chartMarks([compactionRecord({ id: 'x', createdAt: 99_000 })], [])[0]?.step).toBe(1);
  });

  it('tells failures and what was taken back, prunes too', () => {
    const records = [
      compactionRecord({ id: 'a', status: 'failed' }),
      compactionRecord({ id: 'b', status: 'undone', strategy: 'prune' }),
    ];
    expect(chartMarks(records, points).map((mark) => mark.kind)).toEqual(['failed', 'undone']);
  });
});

describe('groupMarks', () => {
  it('puts marks together that would cover each other', () => {
    const marks = chartMarks(
      [0, 5, 18, 30].map((at) => compactionRecord({ id: String(at), createdAt: at })),
      points,
    );
    const groups = groupMarks(marks, (mark) => mark.time, 20);
    expect(groups.map((group) => group.map((mark) => mark.id))).toEqual([['0', '5', '18'], ['30']]);
  });
});

describe('chartRows', () => {
  it('gives the newest level a width', () => {
    expect(chartRows(points, 'step').map((row) => row.x)).toEqual([1, 2, 3, 4, 5]);
    expect(chartRows(points, 'time').map((row) => row.x)).toEqual([1000, 2000, 3000, 4000, 5000]);
    expect(chartRows([], 'step')).toEqual([]);
  });

  it('keeps marks within what is drawn', () => {
    const rows = chartRows(points, 'time');
    const at = (createdAt: number) => {
      const [mark] = chartMarks([compactionRecord({ id: 'x', createdAt })], points);
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
