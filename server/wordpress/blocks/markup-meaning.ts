import type { JsonValue } from '#server/core/json';
import { parseJson } from '#server/core/json';
import { delimitersOf } from '#server/wordpress/blocks/source/block-scan';

/*
 * WordPress 7.1 writes the attributes of all blocks anew on each update over REST: PHP's `json_encode` makes `{}` a list
 * and `1.0` the number 1. Such markup says the same, and is compared by what it says.
 */

const PARTS = /^<!--\s+(\/)?wp:(?:core\/)?([a-z][a-z0-9_/-]*)\s+(\{[^]*\})?\s*(\/)?-->$/;

/** A value as it is after PHP has read and written it: an object with the keys 0, 1, 2 is a list, an empty one too. */
function asWritten(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asWritten);
  const entries = Object.entries(value);
  if (entries.every(([name], index) => name === String(index))) return entries.map(([, item]) => asWritten(item));
  return Object.fromEntries(entries.map(([name, item]) => [name, asWritten(item)]));
}

function delimiterMeaning(raw: string): string {
  const [, close = '', name = '', json = '', isVoid = ''] = PARTS.exec(raw) ?? [];
  const value = json === '' ? [] : (parseJson(json) as JsonValue | undefined);
  if (name === '' || value === undefined) return raw;
  const attributes = JSON.stringify(asWritten(value));
  return `<!-- ${close}wp:${name} ${attributes === '[]' ? '' : `${attributes} `}${isVoid}-->`;
}

interface MarkupMeaning {
  /** Equal for markup that says the same. */
  readonly text: string;
  /** The place in the markup of a place in the text that is not inside a delimiter. */
  placeIn(this: void, offset: number): number;
}

/** Markup with the attributes of its blocks in one form. */
export function meaningOf(raw: string): MarkupMeaning {
  const shifts: { readonly from: number; readonly by: number }[] = [];
  let text = '';
  let done = 0;
  for (const { start, end } of delimitersOf(raw)) {
    text += raw.slice(done, start) + delimiterMeaning(raw.slice(start, end));
    shifts.push({ from: text.length, by: end - text.length });
    done = end;
  }
  text += raw.slice(done);
  return { text, placeIn: (offset) => offset + (shifts.findLast(({ from }) => from <= offset)?.by ?? 0) };
}

/** Tells whether two pieces of markup say the same. */
export function saysTheSame(one: string, other: string): boolean {
  return one === other || meaningOf(one).text === meaningOf(other).text;
}
