const RUNS = 5;
/** Below this a clock says nothing; milliseconds. */
const LEAST_MS = 0.2;
const TIMES_LARGER = 8;

/** The least of several: what else the machine did in the meantime only ever adds. */
function leastTime(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.max(LEAST_MS, Math.min(...times));
}

/**
 * How work grows with its text, as an exponent: 1 is linear, 2 quadratic. The text is compared with its first eighth in
 * the same process, so neither a slow machine nor a busy one matters.
 */
export function growthExponent(text: string, work: (text: string) => void): number {
  const small = leastTime(() => work(text.slice(0, text.length / TIMES_LARGER)));
  const large = leastTime(() => work(text));
  return Math.log(large / small) / Math.log(TIMES_LARGER);
}

/** Between linear, with its noise, and quadratic. */
export const NEARLY_LINEAR = 1.6;
/** Between quadratic, with its noise, and cubic. */
export const AT_MOST_QUADRATIC = 2.5;
