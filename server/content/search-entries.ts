import { foldText } from '#server/core/compare-texts';
import { WORDLESS_FIELDS } from '#server/content/text-places';
import type { Entry, EntryType, Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { collapseSpaces, stretch } from '#server/core/short-text';
import { decodeEntities } from '#server/markup/html-text';

export interface SearchHit {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  /** The section that matched, when it was not the title or excerpt. */
  readonly sectionId?: string | undefined;
  /** Text around the match, at most 160 characters. */
  readonly snippet: string;
}

/** Most characters of a snippet. */
const SNIPPET_LENGTH = 160;
/** Most words of a query that are looked at. */
const MAX_TERMS = 12;

const TITLE_WEIGHT = 8;
const EXCERPT_WEIGHT = 3;
const SECTION_WEIGHT = 1;
const PHRASE_BONUS = 4;

/** One searchable text of an entry, and what it says about the query. */
interface Scored {
  readonly sectionId: string | undefined;
  readonly text: string;
  readonly found: readonly string[];
  readonly score: number;
}

function termsOf(query: string): string[] {
  return [...new Set(foldText(query).match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, MAX_TERMS);
}

function snippetAround(text: string, term: string): string {
  const flat = collapseSpaces(text);
  if (flat.length <= SNIPPET_LENGTH) return flat;
  const at = Math.max(0, foldText(flat).indexOf(term));
  const start = Math.max(0, Math.min(at - SNIPPET_LENGTH / 3, flat.length - SNIPPET_LENGTH));
  const from = start === 0 ? 0 : flat.indexOf(' ', start) + 1;
  const room = SNIPPET_LENGTH - 2;
  const cut = stretch(flat, from, from + room);
  return `${from > 0 ? '…' : ''}${cut}${from + room < flat.length ? '…' : ''}`.toWellFormed();
}

function scoreText(text: string, weight: number, query: string, terms: readonly string[], sectionId?: string): Scored {
  const folded = foldText(text);
  const found = terms.filter((term) => folded.includes(term));
  const phrase = terms.length > 1 && folded.includes(query) ? PHRASE_BONUS : 0;
  return { sectionId, text, found, score: weight * (found.length + phrase) };
}

function scoreEntry(entry: Entry, query: string, terms: readonly string[]) {
  const { title, excerpt, slug, tags, kind, terms: groups = {}, custom = {}, sections } = entry.draft;
  const filed = [slug, ...(tags ?? []), kind ?? '', ...Object.values(groups).flat(), ...Object.values(custom)];
  const texts = [
    scoreText(title, TITLE_WEIGHT, query, terms),
    scoreText(excerpt ?? '', EXCERPT_WEIGHT, query, terms),
    scoreText(filed.join(' '), EXCERPT_WEIGHT, query, terms),
    ...sections.map((section) => scoreText(sectionText(section), SECTION_WEIGHT, query, terms, section.id)),
  ];
  return {
    entry,
    termsFound: new Set(texts.flatMap(({ found }) => found)).size,
    score: texts.reduce((sum, { score }) => sum + score, 0),
    best: texts.reduce((best, text) => (text.score > best.score ? text : best)),
  };
}

/**
 * Entries that hold the words of `query` (any case, any accents), best first: those with more of its words, then
 * those with them in more prominent places. Entries with only some of the words count only where none has them all.
 */
export function searchEntries(entries: readonly Entry[], query: string): SearchHit[] {
  const terms = termsOf(query);
  const folded = foldText(query).trim();
  const scored = entries.map((entry) => scoreEntry(entry, folded, terms)).filter(({ termsFound }) => termsFound > 0);
  const most = Math.max(0, ...scored.map(({ termsFound }) => termsFound));
  return scored
    .filter(({ termsFound }) => most < terms.length || termsFound === most)
    .toSorted((a, b) => b.termsFound - a.termsFound || b.score - a.score || a.entry.createdAt - b.entry.createdAt)
    .map(({ entry, best }) => ({
      id: entry.id,
      type: entry.type,
      title: entry.draft.title,
      slug: entry.draft.slug,
      ...(best.sectionId !== undefined && { sectionId: best.sectionId }),
      snippet: snippetAround(best.text, best.found[0] ?? ''),
    }));
}

const INLINE_TAG = /<\/?(?:a|abbr|b|cite|code|del|em|i|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi;

/** Words of HTML, good enough for a search: without tags, each block on a line of its own, spaces as plain ones. */
function wordsOfHtml(html: string): string {
  const words = html
    .replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(INLINE_TAG, '')
    .replace(/<[^<>]*>/g, '\n');
  return decodeEntities(words)
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => (WORDLESS_FIELDS.has(key) ? [] : textsOf(item)));
}

/** All that a visitor reads in a section (alternative texts too), one text per line. */
export function sectionText({ type, fields }: Section): string {
  if (type === 'html' && typeof fields['html'] === 'string') return wordsOfHtml(fields['html']);
  return textsOf(fields).join('\n');
}
