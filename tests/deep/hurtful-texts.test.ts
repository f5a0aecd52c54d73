import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hurtfulText } from '#tests/support/hurtful-texts';
import { beyondBounds, startTrials } from '#tests/support/text-trial';

const TEXTS = 2_000;
/** Processes side by side. */
const LANES = 2;

it('renders, imports and edits any text within a second and 200 MB', async () => {
  const seed = fc.readConfigureGlobal().seed ?? Date.now();
  console.info(`${TEXTS} texts, PROPERTY_SEED=${seed}`);
  const texts = fc.sample(hurtfulText, { numRuns: TEXTS, seed });
  const tried: { readonly name: string; readonly step: string; readonly cpu: number; readonly heap: number }[] = [];
  const beyond: string[] = [];
  let next = 0;
  const lane = async () => {
    const trials = startTrials();
    try {
      for (let text = texts[next++]; text !== undefined; text = texts[next++]) {
        const costs = await trials.costs(text);
        beyond.push(...beyondBounds(text, costs));
        const name = `${text.kind} ${text.name}`;
        tried.push(...costs.map((cost) => ({ name, ...cost })));
      }
    } finally {
      trials[Symbol.dispose]();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const slowest = tried.toSorted((a, b) => b.cpu - a.cpu).slice(0, 5);
  const largest = tried.toSorted((a, b) => b.heap - a.heap).slice(0, 5);
  console.info('slowest', slowest, 'largest', largest);
  expect(tried).toHaveLength(3 * TEXTS);
  expect(beyond).toEqual([]);
});
