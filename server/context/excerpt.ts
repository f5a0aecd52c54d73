import type { CountTokens } from '#server/context/tokens';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { recallIdOf, type ToolCallPart } from '#server/core/parts';
import { stretch } from '#server/core/short-text';

/** The text itself, or `maxChars` of its beginning and end around a note: what is left out, and what brings it back. */
export function excerpt(text: string, maxChars: number, recallId?: string | null): string {
  const recall = recallId === undefined || recallId === null ? '' : `, recall_output id: ${recallId}`;
  return withoutMiddle(text, maxChars, `[... ${text.length - maxChars} characters left out${recall} ...]`);
}

/** The text itself, or its beginning and end, at most `maxChars` of it, with a mark in the place of its middle. */
export function withoutMiddle(text: string, maxChars: number, mark: string): string {
  if (text.length <= maxChars) return text;
  const start = stretch(text, 0, Math.ceil(maxChars * 0.7));
  const end = stretch(text, text.length - Math.floor(maxChars * 0.3), text.length);
  return `${start} ${mark} ${end}`;
}

/** English text has about 4 characters a token, code and ids about 3; other scripts have fewer and are cut again. */
const CHARS_PER_TOKEN = 3;

/** Like `excerpt`, but at most `maxTokens` long, the note included; empty where not even that fits. */
export function excerptTokens(text: string, maxTokens: number, count: CountTokens, recallId?: string | null): string {
  let chars = Math.floor(maxTokens * CHARS_PER_TOKEN);
  while (chars > 0) {
    const fitted = excerpt(text, chars, recallId);
    const tokens = count(fitted);
    if (tokens <= maxTokens) return fitted;
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens));
  }
  return '';
}

/** Longer texts of an old input are cut, characters. */
const MAX_CHARS = 400;
/** Longer lists are cut, where their last item has a text that can say so. */
const MAX_ITEMS = 20;
/** Number of short values of the first level that stay of an input which nothing else makes small enough. */
const MAX_STUB_VALUES = 8;
const MAX_STUB_CHARS = 100;
/** Tried in this order, as shares of the longest text, until the whole input is at most `WHOLE` times that long. */
const TIGHTER = [1, 0.6, 0.4];
const WHOLE = 4;

const NOTE = /\[\.\.\. [\d,]+ (characters|more items) cut\. recall_output id: [\w.]+\]/;

interface Cut {
  /** Null: nothing brings back what is cut. */
  readonly recallId: string | null;
  readonly maxChars: number;
}

/**
 * A tool call's input in short: the same keys and types, of long texts the beginning and a note that names the part to
 * recall, of long lists the first 20 items. Never longer than the input (as JSON); done again it changes nothing.
 * @param maxChars longest text that stays whole; at least twice the note's length
 */
export function excerptInput(input: JsonValue, recallId: string | null, maxChars = MAX_CHARS): JsonValue {
  const least = 2 * note('9,999,999,999 more characters', recallId).length;
  let short = input;
  for (const share of TIGHTER) {
    short = shortenJson(input, { recallId, maxChars: Math.max(least, Math.floor(maxChars * share)) });
    if (jsonLength(short) <= WHOLE * maxChars) break;
  }
  return jsonLength(short) < jsonLength(input) ? short : input;
}

/** The least that an input is cut to, for one that would not fit otherwise: its first short values. */
function stubInput(input: JsonValue, recallId: string | null): JsonValue {
  const cut = note(`${jsonLength(input)} characters`, recallId).trimStart();
  if (!isJsonObject(input)) return { input: cut };
  const kept = Object.entries(input)
    .filter(([key, value]) => key.length <= MAX_STUB_CHARS && jsonLength(value) <= MAX_STUB_CHARS)
    .slice(0, MAX_STUB_VALUES);
  return { ...Object.fromEntries(kept), left_out: cut };
}

/** The input of a call as the view shows it: in short once pruning has marked the part, a stub where it says 0. */
export function shownInput(part: ToolCallPart): JsonValue {
  const { compactedAt, excerptChars, content } = part;
  const { input } = content;
  if (compactedAt === null) return input;
  const recallId = recallIdOf(part);
  return excerptChars === 0 ? stubInput(input, recallId) : excerptInput(input, recallId, excerptChars ?? MAX_CHARS);
}

/** Returns whether a new input holds an excerpt's note: the model took it for the whole, and the rest would be lost. */
export const holdsExcerpt = (input: JsonValue): boolean => textsIn(input).some((text) => NOTE.test(text));

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function shortenJson(value: JsonValue, cut: Cut): JsonValue {
  if (typeof value === 'string') {
    const start = beginning(value, cut);
    const left = `${value.length - start.length} characters`;
    return value.length <= cut.maxChars ? value : `${start}${note(left, cut.recallId)}`;
  }
  if (Array.isArray(value)) return shortenList(value, cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenJson(item, cut)]));
}

/** A list is not cut in silence: the model would take it for the whole and write it back. */
function shortenList(list: readonly JsonValue[], cut: Cut): JsonValue[] {
  const items = list.map((item) => shortenJson(item, cut));
  const kept = items.slice(0, MAX_ITEMS);
  // An id, an address or a choice has no space in it, and would break by a note.
  const texts = textsIn(kept.at(-1) ?? null).filter((text) => /\s/.test(text));
  const [prose] = texts.toSorted((a, b) => b.length - a.length);
  if (items.length <= MAX_ITEMS || prose === undefined) return items;
  const marked = `${beginning(prose, cut)}${note(`${items.length - MAX_ITEMS} more items`, cut.recallId)}`;
  const mark = (_: string, value: JsonValue) => (value === prose ? marked : value);
  const last = JSON.parse(JSON.stringify(kept.pop()), mark) as JsonValue;
  const shorter = [...kept, last];
  return jsonLength(shorter) < jsonLength(items) ? shorter : items;
}

/** Half of what may stay, so that a note fits behind it; never half a character. */
function beginning(text: string, { maxChars }: Cut): string {
  return text.slice(0, Math.floor(maxChars / 2)).replace(/[\uD800-\uDBFF]$/, '');
}

function note(what: string, recallId: string | null): string {
  return recallId === null ? ` [... ${what} cut]` : ` [... ${what} cut. recall_output id: ${recallId}]`;
}

const jsonLength = (value: JsonValue | readonly JsonValue[]) => JSON.stringify(value).length;
