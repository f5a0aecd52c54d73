/**
 * Does work whose signal aborts with `outer`, or after `ms` milliseconds with a TimeoutError that says `message`. It
 * waits for the work in any case.
 */
export async function withinTime<T>(
  ms: number,
  message: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(new DOMException(message, 'TimeoutError')), ms);
  try {
    return await work(AbortSignal.any([outer, time.signal]));
  } finally {
    clearTimeout(timer);
  }
}

const UNITS = [
  { unit: 'hour', ms: 3_600_000, from: 2 },
  { unit: 'minute', ms: 60_000, from: 1 },
  { unit: 'second', ms: 1_000, from: 0 },
] as const;

/** A time in words, rounded up: `90 seconds` is `2 minutes`. */
export function timeInWords(ms: number): string {
  const { unit, ms: one } = UNITS.find(({ ms: each, from }) => ms >= each * from) ?? UNITS[2];
  const count = Math.max(1, Math.ceil(Math.round((ms / one) * 10) / 10));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
