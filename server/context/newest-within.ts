import { countTokens } from '#server/context/tokens';

/** The newest lines (the last ones) that fit a budget of tokens together, in order. */
export function newestWithin(lines: readonly string[], tokens: number): string[] {
  let left = tokens;
  let first = lines.length;
  while (first > 0) {
    const cost = countTokens(lines[first - 1] ?? '') + 1;
    if (cost > left) break;
    left -= cost;
    first -= 1;
  }
  return lines.slice(first);
}
