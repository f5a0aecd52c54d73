import { countTokens } from '#server/context/tokens';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { oneLine } from '#server/core/text/short-text';

/**
 * Maximum characters of one line: an address and a title, or the changes of one target. A choice, not measured.
 */
const LINE_CHARS = 160;

/**
 * A line of an environment context, shortened, and escaped so that nothing in it looks like a tag that the app writes.
 */
export function contextLine(text: string, maxChars = LINE_CHARS): string {
  return foreignText(oneLine(text, maxChars));
}

/** The first of the lines that together have at most `maxTokens` tokens. */
export function fitting(lines: readonly string[], maxTokens: number): string[] {
  let tokens = 0;
  const over = lines.findIndex((text) => (tokens += countTokens(text) + 1) > maxTokens);
  return over === -1 ? [...lines] : lines.slice(0, over);
}
