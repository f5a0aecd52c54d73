import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hurtfulText } from '#tests/support/hurtful-texts';
import { beyondBounds, startTrials } from '#tests/support/text-trial';

const TEXTS = 2_000;
/** Processes side by side. */
const LANES = 2;
/** Texts after which the worst so far is logged. */
const TOLD_EVERY = 100;

interface Tried {
  readonly name: string;
  readonly step: string;
  /** Milliseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly heap: number;
}

function worst(tried: readonly Tried[]): string {
  const told = ({ name, step, cpu, heap }: Tried) =>
    `${Math.round(cpu)} ms, ${Math.round(heap / 2 ** 20)} MB: ${step} ${name}`;
  const slowest = tried.toSorted((a, b) => b.cpu - a.cpu).slice(0, 3);
  const largest = tried.toSorted((a, b) => b.heap - a.heap).slice(0, 3);
  return ['slowest', ...slowest.map(told), 'largest', ...largest.map(told)].join('\n  ');
}

it('renders, imports and edits any text in little more time than a usual one, and 200 MB', async () => {
  const { seed = 0 } = fc.readConfigureGlobal();
  const tried: Tried[] = [];
  const beyond: string[] = [];
  let next = 0;
  const lane = async () => {
    const trials = startTrials();
    try {
      for (let number = next++; number < TEXTS; number = next++) {
        // One at a time: all of them are 400 MB.
        const [text] = fc.sample(hurtfulText, { numRuns: 1, seed: seed + number });
        if (text === undefined) continue;
        const costs = await trials.costs(text);
        beyond.push(...beyondBounds(text, costs));
        tried.push(...costs.map((cost) => ({ name: `${text.kind} ${text.name}`, ...cost })));
        if (tried.length % (3 * TOLD_EVERY) === 0) console.info(`after ${tried.length / 3} texts: ${worst(tried)}`);
      }
    } finally {
      trials[Symbol.dispose]();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(tried).toHaveLength(3 * TEXTS);
  expect(beyond).toEqual([]);
});
