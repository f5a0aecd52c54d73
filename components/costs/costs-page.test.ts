import { expect, it } from 'vitest';
import { aboutTotal } from '#components/costs/costs-page';

const none = {
  calls: 82,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cost: 0,
  estimated: 0,
  unpriced: 0,
  summaries: 0,
  cacheSaved: 0,
  compactionSaved: 0,
};

it('says how it is known what the calls cost, and of how many nobody knows', () => {
  expect(aboutTotal({ ...none, cost: 2 })).toBe('82 model calls, as the providers report it');
  expect(aboutTotal({ ...none, cost: 2, estimated: 1, unpriced: 3 })).toBe(
    '82 model calls, $1.00 of it estimated by list prices, 3 calls of which nobody says the price',
  );
  expect(aboutTotal({ ...none, unpriced: 82 })).toBe('82 model calls, 82 calls of which nobody says the price');
  expect(aboutTotal({ ...none, unpriced: 2 })).toContain('with models that cost nothing, 2 calls');
  expect(aboutTotal(none)).toBe('82 model calls, with models that cost nothing');
});
