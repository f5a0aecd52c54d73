import { expect, it } from 'vitest';
import { compactionFacts } from '#components/ui/compaction-words.ts';

it('says why a compaction ran', () => {
  expect(compactionFacts.reason('manual')).toBe('Started manually');
  expect(compactionFacts.reason('overflow')).toBe('Because the next request would not have fit');
});
