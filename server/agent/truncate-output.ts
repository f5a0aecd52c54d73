import type { JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/parts';

/** Ends every output that was cut at its source. */
const TRUNCATION_NOTE = '\n\n[Output truncated - exceeded maximum length]';

export interface OutputLimits {
  /** Characters of the whole output. */
  readonly maxChars: number;
  /** Lines of a text. */
  readonly maxLines: number;
  /** Characters of one line of a text. */
  readonly maxLineLength: number;
  /** Items of a list, wherever in a JSON output it stands. */
  readonly maxMatches: number;
}

/**
 * A tool's result as stored output: as it is while it is inside the limits, else cut, with a note that the model
 * reads. Lists lose their last items; JSON that was cut goes on as text.
 */
export function truncateOutput(value: JsonValue, limits: OutputLimits): { output: ToolOutput; truncated: boolean } {
  if (typeof value === 'string') {
    const text = cutLines(value, limits);
    const truncated = text !== value || text.length > limits.maxChars;
    return { output: { type: 'text', value: truncated ? withNote(text, limits.maxChars) : text }, truncated };
  }
  const json = cutLists(value, limits.maxMatches);
  const text = JSON.stringify(json);
  if (json === value && text.length <= limits.maxChars) return { output: { type: 'json', value }, truncated: false };
  return { output: { type: 'text', value: withNote(text, limits.maxChars) }, truncated: true };
}

function withNote(text: string, maxChars: number): string {
  return text.slice(0, Math.max(0, maxChars - TRUNCATION_NOTE.length)).toWellFormed() + TRUNCATION_NOTE;
}

function cutLines(text: string, { maxLines, maxLineLength }: OutputLimits): string {
  const lines = text.split('\n');
  if (lines.length <= maxLines && lines.every((line) => line.length <= maxLineLength)) return text;
  return lines
    .slice(0, maxLines)
    .map((line) => (line.length <= maxLineLength ? line : line.slice(0, maxLineLength).toWellFormed()))
    .join('\n');
}

/** The same value where no list is too long. */
function cutLists(value: JsonValue, maxItems: number): JsonValue {
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => cutLists(item, maxItems));
    return items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, cutLists(item, maxItems)] as const);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}
