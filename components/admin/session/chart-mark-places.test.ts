import { describe, expect, it } from 'vitest';
import { chartPoints, chartRows } from '#components/admin/session/chart-points.ts';
import { chartMarks, groupMarks, markPlace } from '#components/admin/session/chart-mark-places.ts';
import { compactionRecord, contextSample } from '#tests/support/context-history';

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

it('keeps marks within the chart', () => {
  const rows = chartRows(four, 'time');
  const at = (createdAt: number) => {
    const [mark] = chartMarks([compactionRecord({ id: 'x', createdAt })], four);
    return mark && markPlace(mark, 'time', rows);
  };
  expect([at(0), at(2500), at(9_000_000)]).toEqual([1000, 2500, 5000]);
});
