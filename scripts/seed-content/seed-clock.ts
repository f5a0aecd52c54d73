const HOUR_MS = 3_600_000;

/** How long the demo site has been in the making, and how many writes that took at most. */
const SPAN_MS = 120 * 24 * HOUR_MS;
const WRITES = 40;

/**
 * A clock for the seed that moves three days with every look and never reaches `end` (epoch milliseconds), so that
 * the demo’s posts are days apart instead of milliseconds. `begun` is the time of the newest write there is, where a
 * seed that ended early is to be completed.
 */
export function createSeedClock(end: number, begun?: number): () => number {
  let time = begun ?? end - SPAN_MS;
  return () => (time += SPAN_MS / WRITES);
}
