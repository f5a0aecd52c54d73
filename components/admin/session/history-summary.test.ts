import { expect, it } from 'vitest';
import { chartPoints } from '#components/admin/session/chart-points.ts';
import { chartMarks } from '#components/admin/session/chart-mark-places.ts';
import { compactionRecord, contextSample } from '#tests/support/context-history';
import { historySummary } from '#components/admin/session/history-summary.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { ContextSample } from '#server/core/conversation/context-report';

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
    '3 measurements, from 1 s to 3 s. Last measured: 3,000 of 12,000 usable tokens (25 %), most of it summary (83 %). ' +
      'The peak was 11,000 tokens, at step 2. 1 compaction and 1 prune freed 9,000 tokens. 1 attempt failed.',
  );
});

it('says no more than there is', () => {
  expect(summary([])).toBe('');
  expect(summary([contextSample(1, { user: 1200 })])).toBe(
    'One measurement, 1 s. Last measured: 1,200 of 12,000 usable tokens (10 %), most of it user messages (100 %).',
  );
});
