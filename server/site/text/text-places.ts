import { z } from 'zod';
import { textKey } from '#server/core/text/compare-texts';
import { sectionTypeName } from '#server/core/site/field-names';
import type { EntryDocument, PatchOp, Section } from '#server/core/site/content';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { textKinds, unwrapped } from '#server/core/text/safe-text';
import { sectionDefinitions } from '#sections/fields';
import { firstDifference, stretch } from '#server/core/text/short-text';
import { visibleRuns } from '#server/markup/visible-text';
import { encoded, type SourceEdit, type SourceKind, visibleMatches } from '#server/site/text/visible-matches';

/* Finds and replaces a text in the fields of a document. */

/** A text, and what it is a part of. */
interface ShownText {
  readonly text: string;
  /** The first longer word, number, address or tag of which the text is only a part: `€480` for `€48`. */
  readonly partOf?: string | undefined;
}

/** A place in a document. */
interface DocumentPlace {
  /** `title`, `seo.description`, `body`, `items 2 › answer`; items count from 1. */
  readonly where: string;
  readonly sectionId?: string | undefined;
  /** Type of the section, in words. */
  readonly section?: string | undefined;
}

/** A field, or a field of a list item, that contains a text. */
export interface TextPlace extends DocumentPlace, ShownText {
  /** Number of occurrences. */
  readonly count: number;
  /** The text around the first occurrence. */
  readonly text: string;
  /** The place after the replacement. */
  readonly after: ShownText;
  /** The text around each occurrence before and after the replacement; the first MAX_OCCURRENCES. */
  readonly occurrences: readonly { readonly before: string; readonly after: string }[];
}

/**
 * A place where readers see a text that cannot be replaced, because it is unclear to which words its marks should
 * belong.
 */
export interface UnsafePlace extends DocumentPlace {
  readonly text: string;
}

/** Text to find, and options. Other kinds of spaces, tags and marks between its characters do not prevent a match. */
export interface TextQuery {
  readonly find: string;
  /** Skips occurrences within a longer word or number. */
  readonly wholeWords?: boolean | undefined;
  /** Ignores case. */
  readonly anyCase?: boolean | undefined;
  /**
   * Only where readers see it: tags, and the addresses of links and pictures within a text, stay as they are. What is
   * inserted is shown literally.
   */
  readonly asShown?: boolean | undefined;
  /** Also finds the text as a part of an address or a tag, where it is never replaced. */
  readonly anyPart?: boolean | undefined;
}

/**
 * Returns the new value of a text of a document.
 * @param where place of the text, as in `TextPlace.where`
 * @param isWhole true if the text may only be replaced as a whole
 */
type ChangeText = (text: string, where: string, isWhole: boolean) => string;

/** Names of the fields of all section types, at any depth, whose schema fulfils a condition. */
function fieldsWith(isWanted: (schema: z.core.$ZodType) => boolean): string[] {
  const namesIn = (schema: z.core.$ZodType): string[] => {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodArray) return namesIn(inner.element);
    if (!(inner instanceof z.ZodObject)) return [];
    return Object.entries(inner.shape).flatMap(([name, field]) => [
      ...(isWanted(unwrapped(field)) ? [name] : []),
      ...namesIn(field),
    ]);
  };
  return Object.values(sectionDefinitions).flatMap(({ fields }) => namesIn(fields));
}

const ADDRESS_KINDS: ReadonlySet<string | undefined> = new Set(['link', 'image']);
/** Fields that contain an address. */
const ADDRESSES = fieldsWith((schema) => ADDRESS_KINDS.has(textKinds.get(schema)?.kind));
/** Fields with fixed choices of the section type, or a number, instead of text. `block`: the name of a CMS block. */
const CHOICES = new Set([
  'block',
  ...fieldsWith((schema) => schema instanceof z.ZodEnum || schema instanceof z.ZodNumber),
]);
/** Addresses and tags: `/prices` is not a part of `/prices-2024`, so only the whole value is replaced. */
const WHOLE_VALUES = new Set([...ADDRESSES, 'tags', 'tag']);

/** Fields that contain no text: addresses and switches. */
export const WORDLESS_FIELDS: ReadonlySet<string> = new Set([...ADDRESSES, ...CHOICES]);

const SNIPPET_MARGIN = 50;
/** Largest number of occurrences in one field that are shown one by one. */
const MAX_OCCURRENCES = 50;

const LETTER = /[\p{L}\p{N}]/u;

/** The longer word that contains the text at a place; null if it is not part of one. */
function wordAround(text: string, at: number, { length }: { readonly length: number }): string | null {
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

/**
 * In lower case, with every letter at the same position: the few letters that would become two characters do not
 * change.
 */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : text.replace(/./gsu, (letter) => sameLength(letter.toLowerCase(), letter));
}

const sameLength = (changed: string, letter: string) => (changed.length === letter.length ? changed : letter);

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A match in a source with its replacement; `edits` null: it cannot be replaced safely. */
interface SourceMatch extends TextRange {
  readonly edits: readonly SourceEdit[] | null;
}

/** Returns a function that is true for a range whose every character readers see. */
function shownRanges(source: string, kind: SourceKind): (range: TextRange) => boolean {
  if (kind === 'plain') return () => true;
  const isSeen = new Uint8Array(source.length);
  for (const { start, end } of visibleRuns(source, kind).flat()) isSeen.fill(1, start, end);
  return ({ start, end }) => isSeen.subarray(start, end).every((seen) => seen === 1);
}

/** Exact occurrences of a text, and places where readers see it although its source differs; in order. */
function sourceMatches(text: string, kind: SourceKind, query: TextQuery, replace: string): SourceMatch[] {
  const { find, wholeWords = false, anyCase = false, asShown = false } = query;
  const inserted = asShown ? encoded(replace, kind) : replace;
  const isShown = asShown ? shownRanges(text, kind) : () => true;
  const exact = matchesIn(text, query)
    .map((start) => ({ start, end: start + find.length }))
    .filter(isShown)
    .map((range) => ({ ...range, edits: [{ ...range, text: inserted }] }));
  const isWord = (seen: string, at: number) => !wholeWords || wordAround(seen, at, find) === null;
  const seen = visibleMatches(text, kind, { find, replace, anyCase }, isWord).filter(
    ({ start, end }) => !exact.some((match) => match.start < end && start < match.end),
  );
  return seen.length === 0 ? exact : [...exact, ...seen].toSorted((a, b) => a.start - b.start);
}

/** The text with all edits applied, and the new position of each match. */
function replaceAt(
  text: string,
  matches: readonly SourceMatch[],
): { readonly text: string; readonly ranges: TextRange[] } {
  let result = '';
  let done = 0;
  const ranges = matches.map(({ start, end, edits }) => {
    result += text.slice(done, start);
    const from = result.length;
    done = start;
    for (const edit of edits ?? []) {
      result += text.slice(done, edit.start) + edit.text;
      done = edit.end;
    }
    result += text.slice(done, end);
    done = end;
    return { start: from, end: result.length };
  });
  return { text: result + text.slice(done), ranges };
}

/** Kind of content of a section's field. */
function kindOfField({ type }: Section, field: string): SourceKind {
  const schema = (sectionDefinitions[type].fields.shape as Record<string, Parameters<typeof unwrapped>[0]>)[field];
  const kind = schema === undefined ? undefined : textKinds.get(unwrapped(schema))?.kind;
  return kind === 'markdown' || kind === 'html' ? kind : 'plain';
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

/** The fields outside the sections that contain text. Slug and parent are addresses of the site itself. */
function wordsOf({ title, excerpt, author, tags, image, seo, custom }: EntryDocument): Record<string, JsonValue> {
  const present = Object.entries({ title, excerpt, author, tags, image, seo, custom }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(present) as Record<string, JsonValue>;
}

/**
 * The operations that replace a text in a document, the places where it was, and the places that remain unchanged
 * because tags or marks run through the words that would change.
 * @param within only these sections
 */
export function replaceText(
  document: EntryDocument,
  query: TextQuery,
  replace: string,
  within?: readonly string[],
): {
  readonly operations: readonly PatchOp[];
  readonly places: readonly TextPlace[];
  readonly unsafe: readonly UnsafePlace[];
} {
  const { find } = query;
  const places: TextPlace[] = [];
  const unsafe: UnsafePlace[] = [];
  const changer =
    (kind: SourceKind, section?: Section): ChangeText =>
    (text, where, isWhole) => {
      const facts = section && { sectionId: section.id, section: sectionTypeName(section.type) };
      if (isWhole && text.length !== find.length) {
        const count = matchesIn(text, query).length;
        const part = { text: '', partOf: text };
        if (query.anyPart === true && count > 0)
          places.push({ where, ...facts, count, ...part, after: part, occurrences: [] });
        return text;
      }
      const found = sourceMatches(text, isWhole ? 'plain' : kind, query, replace);
      for (const { start, end, edits } of found) {
        if (edits === null) unsafe.push({ where, ...facts, text: around(text, start, end - start) });
      }
      const matches = found.filter(({ edits }) => edits !== null);
      if (matches.length === 0) return text;
      const replaced = replaceAt(text, matches);
      const [shown, after] = [shownAround(text, matches), shownAround(replaced.text, replaced.ranges)];
      const occurrences = matches.slice(0, MAX_OCCURRENCES).map(({ start, end }, index) => {
        const range = replaced.ranges[index] ?? { start: 0, end: 0 };
        return {
          before: around(text, start, end - start),
          after: around(replaced.text, range.start, range.end - range.start),
        };
      });
      places.push({ where, ...facts, count: matches.length, ...shown, after, occurrences });
      return replaced.text;
    };
  const operations: PatchOp[] = [];
  for (const [field, value] of within === undefined ? Object.entries(wordsOf(document)) : []) {
    const before = places.length;
    const changed = mapValue({ [field]: value }, '', false, changer('plain')) as Record<string, JsonValue>;
    if (places.length === before) continue;
    operations.push({ op: 'set', field: field as 'title', value: changed[field] ?? null });
  }
  for (const section of document.sections) {
    if (within !== undefined && !within.includes(section.id)) continue;
    const changed: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(section.fields)) {
      const before = places.length;
      const change = changer(kindOfField(section, name), section);
      const after = mapValue({ [name]: value }, '', false, change) as Record<string, JsonValue>;
      if (places.length > before) changed[name] = after[name] ?? null;
    }
    if (Object.keys(changed).length > 0) {
      operations.push({ op: 'set-section', sectionId: section.id, fields: changed });
    }
  }
  return { operations, places, unsafe };
}

/** The places of a document where a text occurs: exactly, or as readers see it. */
export function placesOf(document: EntryDocument, find: string | TextQuery): readonly TextPlace[] {
  const query = typeof find === 'string' ? { find } : find;
  return replaceText(document, query, query.find).places;
}

/** True if a text contains another one. */
export function containsText(text: string, query: TextQuery): boolean {
  return sourceMatches(text, 'plain', query, query.find).length > 0;
}

/** Number of occurrences of a text in these places. */
export function occurrencesIn(places: readonly TextPlace[]): number {
  return places.reduce((sum, { count }) => sum + count, 0);
}

/** The text around the first match, and the first longer word that contains a match. */
function shownAround(text: string, matches: readonly TextRange[]): ShownText {
  const words = matches.map(({ start, end }) => wordAround(text, start, { length: end - start }));
  const partOf = words.find((word) => word !== null);
  const { start, end } = matches[0] ?? { start: 0, end: 0 };
  return { text: around(text, start, end - start), ...(partOf && { partOf }) };
}

/** Excerpt of `after` around its difference from `before`. */
export function changedPlace(before: string, after: string): string {
  const at = firstDifference(before, after);
  const most = Math.min(before.length, after.length) - at;
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return around(after, at, after.length - at - same);
}

/** The text around a match, with its line breaks; of a long match only its ends. */
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
 * Texts of a document that equal `find` except for case, accents, kinds of quotes, dashes and spaces, and the addresses
 * and tags that contain it: in their original spelling, each once. Suggested when `find` itself is not found.
 */
export function similarTexts(document: EntryDocument, find: string): readonly string[] {
  const key = textKey(find).text.trim();
  const found = new Set<string>();
  const collect: ChangeText = (text, _where, isWhole) => {
    const folded = textKey(text);
    if (isWhole && key !== '' && folded.text.includes(key)) found.add(text);
    for (let at = isWhole || key === '' ? -1 : folded.text.indexOf(key); at !== -1 && found.size < 5;) {
      found.add(text.slice(folded.at(at), folded.at(at + key.length)));
      at = folded.text.indexOf(key, at + key.length);
    }
    return text;
  };
  for (const value of [wordsOf(document), ...document.sections.map(({ fields }) => fields)]) {
    mapValue(value, '', false, collect);
  }
  return [...found];
}
