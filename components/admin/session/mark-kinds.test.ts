import { describe, expect, it } from 'vitest';
import { chartMarks, groupMarks } from '#components/admin/session/mark-kinds';
import { chartPoints, chartRows, markPlace, roundTicks } from '#components/admin/session/chart-points';
import { compactionRecord, contextSample } from '#tests/support/context-history';

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
