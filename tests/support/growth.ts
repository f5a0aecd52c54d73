import { expect } from 'vitest';

const TIMES_LARGER = 8;
/** At least: code that runs for the first time is slow, and would make growth look smaller than it is. */
const LEAST_ROUNDS = 3;
const MOST_ROUNDS = 15;
/**
 * Below this, the memory of a long string is measured, half a megabyte of it up to 1.5, not the work;
 * milliseconds.
 */
const LEAST_MS = 3;

/** Between linear, with its noise, and quadratic. */
export const NEARLY_LINEAR = 1.6;
/** Between quadratic, with its noise, and cubic. */
export const AT_MOST_QUADRATIC = 2.5;

/**
 * Fails where work grows faster with its text than `bound`, an exponent: 1 is linear, 2 quadratic. The text is compared
 * with its first eighth in the same process, so neither a slow machine nor a busy one matters.
 */
export function expectGrowthBelow(bound: number, text: string, work: (text: string) => void): void {
  expect(growthExponent(text, work, bound), 'exponent of growth').toBeLessThan(bound);
}

/**
 * The eighth is read eight times over, so that linear work takes as long with either. The processor time of this thread
 * counts, because a busy machine interrupts what is long. Noise only adds: the least times count, and what is above the
 * bound is measured again.
 */
function growthExponent(text: string, work: (text: string) => void, bound: number): number {
  const eighth = text.slice(0, text.length / TIMES_LARGER);
  let [small, large, exponent] = [Infinity, Infinity, Infinity];
  for (let round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || exponent >= bound); round += 1) {
    small = Math.min(small, timeOf(work, eighth, TIMES_LARGER));
    large = Math.min(large, timeOf(work, text, 1));
    exponent = 1 + Math.log(large / small) / Math.log(TIMES_LARGER);
  }
  return exponent;
}

function timeOf(work: (text: string) => void, text: string, times: number): number {
  const before = process.threadCpuUsage();
  for (let count = 0; count < times; count += 1) work(text);
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(LEAST_MS, (user + system) / 1_000);
}
