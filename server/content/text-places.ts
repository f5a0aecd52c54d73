import { textKey } from '#server/core/compare-texts';
import { sectionTypeName } from '#server/core/field-names';
import type { EntryDocument, PatchOp, Section } from '#server/core/content';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { firstDifference, stretch } from '#server/core/short-text';

/** One field, or one item's field, that holds a text. */
export interface TextPlace {
  /** `title`, `seo.description`, `body`, `items 2 › answer`; items count from 1. */
  readonly where: string;
  readonly sectionId?: string | undefined;
  /** Type of the section in words. */
  readonly section?: string | undefined;
  /** Number of times it occurs. */
  readonly count: number;
  /** The text around the first one. */
  readonly text: string;
  /** The first longer word, number, address or tag of which it is only a part: `€480` for `€48`. */
  readonly partOf?: string | undefined;
  /** The place once the text is replaced. */
  readonly after: Pick<TextPlace, 'text' | 'partOf'>;
}

/** Text to find, and options. */
export interface TextQuery {
  readonly find: string;
  /** Leaves out where it is a part of a longer word or number. */
  readonly wholeWords?: boolean | undefined;
  /** Finds it with other capitals as well. */
  readonly anyCase?: boolean | undefined;
  /** Finds it as a part of an address or a tag as well, which is never replaced so. */
  readonly anyPart?: boolean | undefined;
}

/** A text of a document: changed by `change`, which is told where it stands, and whether it counts only as a whole. */
type ChangeText = (text: string, where: string, isWhole: boolean) => string;

/** Fields that hold an address. */
const ADDRESSES = ['src', 'image', 'ctaHref', 'buttonHref', 'thanksPage'];
/** Choices that the section type knows, not words. */
const CHOICES = new Set(['kind', 'count', 'block']);
/** Addresses and tags: `/prices` is not a part of `/prices-2024`, so only the whole value is replaced. */
const WHOLE_VALUES = new Set([...ADDRESSES, 'tags', 'tag']);

/** Fields that hold no words: addresses and switches. */
export const WORDLESS_FIELDS: ReadonlySet<string> = new Set([...ADDRESSES, ...CHOICES]);

const SNIPPET_MARGIN = 50;

const LETTER = /[\p{L}\p{N}]/u;

/** The longer word that holds the text at a place; null where it is not a part of one. */
function wordAround(text: string, at: number, { length }: string): string | null {
  const isInside = (index: number) => LETTER.test(text.charAt(index - 1)) && LETTER.test(text.charAt(index));
  const [opens, closes] = [isInside(at), isInside(at + length)];
  if (!opens && !closes) return null;
  const before = opens ? (/[\p{L}\p{N}]{1,30}$/u.exec(text.slice(Math.max(0, at - 30), at))?.[0] ?? '') : '';
  const after = closes ? (/^[\p{L}\p{N}]{1,30}/u.exec(text.slice(at + length, at + length + 30))?.[0] ?? '') : '';
  return `${before}${text.slice(at, at + length)}${after}`;
}

/** Offsets of a text in another, without overlaps. */
function matchesIn(text: string, { find, wholeWords = false, anyCase = false }: TextQuery): readonly number[] {
  const [within, wanted] = anyCase ? [lowerCase(text), lowerCase(find)] : [text, find];
  const places: number[] = [];
  for (let at = within.indexOf(wanted); at !== -1; at = within.indexOf(wanted, at + find.length)) {
    if (!wholeWords || wordAround(text, at, find) === null) places.push(at);
  }
  return places;
}

/** In lower case, each letter in its place: the few that would become two stay. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : text.replace(/./gsu, (letter) => sameLength(letter.toLowerCase(), letter));
}

const sameLength = (changed: string, letter: string) => (changed.length === letter.length ? changed : letter);

function replaceAt(text: string, places: readonly number[], length: number, replace: string): string {
  let result = '';
  let done = 0;
  for (const at of places) {
    result += text.slice(done, at) + replace;
    done = at + length;
  }
  return result + text.slice(done);
}

function mapValue(value: JsonValue, where: string, isWhole: boolean, change: ChangeText): JsonValue {
  if (typeof value === 'string') return change(value, where, isWhole);
  if (Array.isArray(value)) {
    return value.map((item, index) => mapValue(item, `${where} ${index + 1}`, isWhole, change));
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => {
    const isFixed = CHOICES.has(name);
    const path = where === '' ? name : `${where} › ${name}`;
    return [name, isFixed ? field : mapValue(field, path, WHOLE_VALUES.has(name), change)];
  });
  return Object.fromEntries(entries) as JsonValue;
}

/** The fields beside the sections that hold words. Slug and parent are addresses of the site itself. */
function wordsOf({ title, excerpt, author, tags, image, seo, custom }: EntryDocument): Record<string, JsonValue> {
  const present = Object.entries({ title, excerpt, author, tags, image, seo, custom }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(present) as Record<string, JsonValue>;
}

/**
 * The operations that replace a text in a document, and the places where it stood.
 * @param within only these sections
 */
export function replaceText(
  document: EntryDocument,
  query: TextQuery,
  replace: string,
  within?: readonly string[],
): { readonly operations: readonly PatchOp[]; readonly places: readonly TextPlace[] } {
  const { find } = query;
  const places: TextPlace[] = [];
  const changer =
    (section?: Section): ChangeText =>
    (text, where, isWhole) => {
      const matches = matchesIn(text, query);
      const [first] = matches;
      if (first === undefined) return text;
      const facts = section && { sectionId: section.id, section: sectionTypeName(section.type) };
      if (isWhole && text.length !== find.length) {
        const part = { text: '', partOf: text };
        if (query.anyPart === true) places.push({ where, ...facts, count: matches.length, ...part, after: part });
        return text;
      }
      const replaced = replaceAt(text, matches, find.length, replace);
      const shift = replace.length - find.length;
      const moved = matches.map((at, index) => at + index * shift);
      const shown = shownAround(text, matches, find);
      places.push({ where, ...facts, count: matches.length, ...shown, after: shownAround(replaced, moved, replace) });
      return replaced;
    };
  const operations: PatchOp[] = [];
  for (const [field, value] of within === undefined ? Object.entries(wordsOf(document)) : []) {
    const before = places.length;
    const changed = mapValue({ [field]: value }, '', false, changer()) as Record<string, JsonValue>;
    if (places.length === before) continue;
    operations.push({ op: 'set', field: field as 'title', value: changed[field] ?? null });
  }
  for (const section of document.sections) {
    if (within !== undefined && !within.includes(section.id)) continue;
    const changed: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(section.fields)) {
      const before = places.length;
      const after = mapValue({ [name]: value }, '', false, changer(section)) as Record<string, JsonValue>;
      if (places.length > before) changed[name] = after[name] ?? null;
    }
    if (Object.keys(changed).length > 0) {
      operations.push({ op: 'set-section', sectionId: section.id, fields: changed });
    }
  }
  return { operations, places };
}

/** The places of a document where a text stands exactly so. */
export function placesOf(document: EntryDocument, find: string | TextQuery): readonly TextPlace[] {
  const query = typeof find === 'string' ? { find } : find;
  return replaceText(document, query, query.find).places;
}

/** Tells whether a text stands in another. */
export function holdsText(text: string, query: TextQuery): boolean {
  return matchesIn(text, query).length > 0;
}

/** Number of times that a text stands in these places. */
export function timesIn(places: readonly TextPlace[]): number {
  return places.reduce((sum, { count }) => sum + count, 0);
}

/** The text around the first match, and the first longer word that holds one. */
function shownAround(text: string, matches: readonly number[], match: string): Pick<TextPlace, 'text' | 'partOf'> {
  const partOf = matches.map((at) => wordAround(text, at, match)).find((word) => word !== null);
  return { text: around(text, matches[0] ?? 0, match.length), ...(partOf && { partOf }) };
}

/** Excerpt of `after` around its difference from `before`. */
export function changedPlace(before: string, after: string): string {
  const at = firstDifference(before, after);
  const most = Math.min(before.length, after.length) - at;
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return around(after, at, after.length - at - same);
}

/** The text around a match, its lines as they are; of a long match its ends. */
function around(text: string, at: number, length: number): string {
  const line = (from: number, to: number) =>
    stretch(text, from, to)
      .toWellFormed()
      .replace(/[^\S\n]+/g, ' ');
  const from = Math.max(0, at - SNIPPET_MARGIN);
  const to = Math.min(text.length, at + length + SNIPPET_MARGIN);
  const cut =
    length <= 3 * SNIPPET_MARGIN
      ? line(from, to)
      : `${line(from, at + SNIPPET_MARGIN)} … ${line(at + length - SNIPPET_MARGIN, to)}`;
  return `${from > 0 ? '…' : ''}${cut.trim()}${to < text.length ? '…' : ''}`;
}

/**
 * Texts of a document that are `find` but for case, accents, kinds of quotes, dashes and spaces, and the addresses and
 * tags that hold it: as they really stand there, each once.
 */
export function likeTexts(document: EntryDocument, find: string): readonly string[] {
  const key = textKey(find).text.trim();
  const found = new Set<string>();
  const look: ChangeText = (text, _where, isWhole) => {
    const folded = textKey(text);
    if (isWhole && key !== '' && folded.text.includes(key)) found.add(text);
    for (let at = isWhole || key === '' ? -1 : folded.text.indexOf(key); at !== -1 && found.size < 5;) {
      found.add(text.slice(folded.at(at), folded.at(at + key.length)));
      at = folded.text.indexOf(key, at + key.length);
    }
    return text;
  };
  for (const value of [wordsOf(document), ...document.sections.map(({ fields }) => fields)]) {
    mapValue(value, '', false, look);
  }
  return [...found];
}
