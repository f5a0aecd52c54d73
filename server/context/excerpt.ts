import { isJsonObject, type JsonValue, textsIn } from '#server/core/json';
import { recallIdOf, type ToolCallPart } from '#server/core/conversation/parts';

/** Usual length above which a text of an old input is cut; characters. A choice, not measured. */
const MAX_CHARS = 400;
/** Length above which a list is cut if its last item has a text that can carry the note. A choice, not measured. */
const MAX_ITEMS = 20;
/**
 * Number of short top-level values that remain of an input that cannot be made small enough otherwise. A choice, not
 * measured.
 */
const MAX_STUB_VALUES = 8;
/** Maximum characters of the name and of the value of each. A choice, not measured. */
const MAX_STUB_CHARS = 100;
/**
 * Shares of the longest text, tried in this order until the whole input is at most `MAX_INPUT_FACTOR` times that
 * length.
 */
const LENGTH_SHARES = [1, 0.6, 0.4];
const MAX_INPUT_FACTOR = 4;

/** Matches the note of an excerpt. */
const NOTE = /\[\.\.\. [\d,]+ (characters|more items) cut\. recall_output id: [\w.]+\]/;

/** How an input is cut. */
interface Cut {
  /** Null: what is cut cannot be recalled. */
  readonly recallId: string | null;
  readonly maxChars: number;
}

/**
 * Shortens the input of a tool call: the same keys and types, the beginning of long texts with a note that names the
 * part to recall, and the first 20 items of long lists. Never longer than the input as JSON. Idempotent.
 * @param maxChars longest text that is not cut; at least twice the length of the note
 */
export function excerptInput(input: JsonValue, recallId: string | null, maxChars = MAX_CHARS): JsonValue {
  const least = 2 * note('9,999,999,999 more characters', recallId).length;
  let short = input;
  for (const share of LENGTH_SHARES) {
    short = shortenJson(input, { recallId, maxChars: Math.max(least, Math.floor(maxChars * share)) });
    if (jsonLength(short) <= MAX_INPUT_FACTOR * maxChars) break;
  }
  return jsonLength(short) < jsonLength(input) ? short : input;
}

/** The smallest form of an input that would not fit otherwise: its first short values. */
function stubInput(input: JsonValue, recallId: string | null): JsonValue {
  const cut = note(`${jsonLength(input)} characters`, recallId).trimStart();
  if (!isJsonObject(input)) return { input: cut };
  const kept = Object.entries(input)
    .filter(([key, value]) => key.length <= MAX_STUB_CHARS && jsonLength(value) <= MAX_STUB_CHARS)
    .slice(0, MAX_STUB_VALUES);
  return { ...Object.fromEntries(kept), left_out: cut };
}

/** The input of a call as the view shows it: shortened once pruning has marked the part, a stub if the mark is 0. */
export function shownInput(part: ToolCallPart): JsonValue {
  const { compactedAt, excerptChars, content } = part;
  const { input } = content;
  if (compactedAt === null) return input;
  const recallId = recallIdOf(part);
  return excerptChars === 0 ? stubInput(input, recallId) : excerptInput(input, recallId, excerptChars ?? MAX_CHARS);
}

/**
 * Returns whether a new input contains the note of an excerpt. The model took the excerpt for the whole text, and
 * writing it would lose the rest.
 */
export const holdsExcerpt = (input: JsonValue): boolean => textsIn(input).some((text) => NOTE.test(text));

/** A value with its long texts and lists cut. */
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

/**
 * A list, cut if it is long. A cut list needs a note. Otherwise the model takes it for the whole list and writes it
 * back.
 */
function shortenList(list: readonly JsonValue[], cut: Cut): JsonValue[] {
  const items = list.map((item) => shortenJson(item, cut));
  const kept = items.slice(0, MAX_ITEMS);
  // Ids, addresses and enum values contain no space. A note would make them invalid.
  const texts = textsIn(kept.at(-1) ?? null).filter((text) => /\s/.test(text));
  const [prose] = texts.toSorted((a, b) => b.length - a.length);
  if (items.length <= MAX_ITEMS || prose === undefined) return items;
  const marked = `${beginning(prose, cut)}${note(`${items.length - MAX_ITEMS} more items`, cut.recallId)}`;
  const mark = (_: string, value: JsonValue) => (value === prose ? marked : value);
  const last = JSON.parse(JSON.stringify(kept.pop()), mark) as JsonValue;
  const shorter = [...kept, last];
  return jsonLength(shorter) < jsonLength(items) ? shorter : items;
}

/** The beginning of a text: half of the allowed length, so that a note fits after it. Never splits a character. */
function beginning(text: string, { maxChars }: Cut): string {
  return text.slice(0, Math.floor(maxChars / 2)).replace(/[\uD800-\uDBFF]$/, '');
}

/** The note that says what is cut and how to read it. */
function note(what: string, recallId: string | null): string {
  return recallId === null ? ` [... ${what} cut]` : ` [... ${what} cut. recall_output id: ${recallId}]`;
}

/** Length of a value as JSON, in characters. */
const jsonLength = (value: JsonValue | readonly JsonValue[]) => JSON.stringify(value).length;
