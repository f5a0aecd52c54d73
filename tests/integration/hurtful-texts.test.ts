import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corpus, type HurtfulText, hurtfulText } from '#tests/support/hurtful-texts';
import { beyondBounds, startTrials } from '#tests/support/text-trial';

let trials: ReturnType<typeof startTrials>;
beforeAll(() => {
  trials = startTrials();
});
afterAll(() => trials[Symbol.dispose]());

async function beyondBoundsOf(texts: readonly HurtfulText[]): Promise<string[]> {
  const beyond: string[] = [];
  for (const text of texts) beyond.push(...beyondBounds(text, await trials.costs(text)));
  return beyond;
}

it('renders, imports and edits texts that broke parsers within bounded time and 200 MB', async () => {
  expect(await beyondBoundsOf(corpus)).toEqual([]);
});

it('does so with texts that were made to hurt (2,000 of them in tests/deep)', async () => {
  const { seed } = fc.readConfigureGlobal();
  expect(await beyondBoundsOf(fc.sample(hurtfulText, { numRuns: 8, ...(seed !== undefined && { seed }) }))).toEqual([]);
});
