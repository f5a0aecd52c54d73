import { expect, it } from 'vitest';
import { compactionRecord } from '#tests/support/context-history';
import { gainPercent, newestActive, newestFirst } from '#components/admin/session/compaction-records.ts';

it('has the gain, except for failed attempts', () => {
  expect(gainPercent({ status: 'completed', tokensBefore: 200, tokensAfter: 50 })).toBe(75);
  expect(gainPercent({ status: 'completed', tokensBefore: 100, tokensAfter: 110 })).toBe(-10);
  expect(gainPercent({ status: 'failed', tokensBefore: 200, tokensAfter: 0 })).toBeNull();
  expect(gainPercent({ status: 'completed', tokensBefore: 0, tokensAfter: 0 })).toBeNull();
});

it('finds the compaction or prune that an undo would revert', () => {
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
