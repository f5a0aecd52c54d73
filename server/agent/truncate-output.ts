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
 * A tool's output inside the limits: as it is where it fits, else cut, with a note that the model reads. Lists lose
 * their last items; JSON that was cut goes on as text. Images are not counted.
 */
export function truncateOutput(output: ToolOutput, limits: OutputLimits): { output: ToolOutput; truncated: boolean } {
  switch (output.type) {
    case 'text':
    case 'error-text': {
      const value = cutText(output.value, limits);
      return { output: { type: output.type, value }, truncated: value !== output.value };
    }
    case 'json':
    case 'error-json':
      return cutJson(output, limits);
    case 'content':
      return cutPieces(output.value, limits);
    case 'execution-denied':
      return { output, truncated: false };
  }
}

/** The same text where nothing is too long. */
function cutText(whole: string, limits: OutputLimits): string {
  const text = cutLines(whole, limits);
  return text !== whole || text.length > limits.maxChars ? withNote(text, limits.maxChars) : whole;
}

function cutJson(output: Extract<ToolOutput, { type: 'json' | 'error-json' }>, limits: OutputLimits) {
  const json = cutLists(output.value, limits.maxMatches);
  const text = JSON.stringify(json);
  if (json === output.value && text.length <= limits.maxChars) return { output, truncated: false };
  const type = output.type === 'json' ? 'text' : 'error-text';
  return { output: { type, value: withNote(text, limits.maxChars) } as const, truncated: true };
}

/** Texts up to the limit, all together; images whole. */
function cutPieces(pieces: Extract<ToolOutput, { type: 'content' }>['value'], limits: OutputLimits) {
  let { maxChars } = limits;
  let truncated = false;
  const value = pieces.flatMap((piece) => {
    if (typeof piece['text'] !== 'string') return [piece];
    // JSON beside an image is one line, however long.
    const lines = /^[[{]/.test(piece['text']) ? { maxLineLength: maxChars } : {};
    const text = maxChars > 0 ? cutText(piece['text'], { ...limits, ...lines, maxChars }) : '';
    truncated ||= text !== piece['text'];
    maxChars -= text.length;
    return text === '' ? [] : [{ ...piece, text }];
  });
  return { output: { type: 'content', value } as const, truncated };
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
