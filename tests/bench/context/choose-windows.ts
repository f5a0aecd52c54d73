/** A conversation of more tokens than this is replayed in windows that models have. */
const LONG = 100_000;
const REAL_WINDOWS = [32_000, 128_000];
const SMALL_WINDOW = 8_000;

/**
 * Windows that a transcript overflows. A short one needs a smaller window than models of today have: a quarter of its
 * tokens, but 8,000 at least; half of its tokens where it would hardly fill those.
 */
export function chooseWindows(tokens: number): readonly number[] {
  if (tokens > LONG) return REAL_WINDOWS;
  const window = tokens > SMALL_WINDOW ? Math.max(tokens / 4, SMALL_WINDOW) : tokens / 2;
  return [Math.ceil(window / 1_000) * 1_000];
}
