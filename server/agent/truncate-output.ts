import type { JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/parts';

/** Ends every output that was cut at its source. */
const TRUNCATION_NOTE = '\n\n[Output truncated - exceeded maximum length]';

/**
 * A tool's result as stored output: JSON as it is while it fits, else its text cut to `maxChars`, with a note that
 * the model reads.
 */
export function truncateOutput(value: JsonValue, maxChars: number): { output: ToolOutput; truncated: boolean } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxChars) {
    return { output: typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }, truncated: false };
  }
  const kept = text.slice(0, Math.max(0, maxChars - TRUNCATION_NOTE.length)).toWellFormed();
  return { output: { type: 'text', value: kept + TRUNCATION_NOTE }, truncated: true };
}
