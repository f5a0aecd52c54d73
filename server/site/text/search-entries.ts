import { foldAccents } from '#server/core/fold-text';
import type { Entry, EntryDocument, EntryType } from '#server/core/site/content';
import { collapseSpaces, stretch } from '#server/core/text/short-text';
import { sectionPlainText } from '#server/site/text/section-plain-text';

/** An entry that a search has found. */
export interface SearchHit {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  /** The section that matched, unless the title or excerpt did. */
  readonly sectionId?: string | undefined;
  /** Text around the match, at most 160 characters. */
  readonly snippet: string;
}

/** Longest snippet, in characters. */
const SNIPPET_LENGTH = 160;
/** Largest number of words in a query that are used. */
const MAX_TERMS = 12;

const TITLE_WEIGHT = 8;
const EXCERPT_WEIGHT = 3;
const SECTION_WEIGHT = 1;
const PHRASE_BONUS = 4;

/** One searchable text of an entry, and how well it matches the query. */
interface Scored {
  readonly sectionId: string | undefined;
  readonly text: string;
  readonly found: readonly string[];
  readonly score: number;
}

function termsOf(query: string): string[] {
  return [...new Set(foldAccents(query).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])].slice(0, MAX_TERMS);
}

/** Position of a folded term in a text. Folding changes lengths: ß becomes ss, and accents may be separate characters. */
function positionOf(text: string, term: string): number {
  const folded = Math.max(0, foldAccents(text).indexOf(term));
  let [from, to] = [0, text.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (foldAccents(text.slice(0, middle)).length < folded) from = middle + 1;
    else to = middle;
  }
  return from;
}

function snippetAround(text: string, term: string): string {
  const flat = collapseSpaces(text);
  if (flat.length <= SNIPPET_LENGTH) return flat;
  const at = positionOf(flat, term);
  const start = Math.max(0, Math.min(at - SNIPPET_LENGTH / 3, flat.length - SNIPPET_LENGTH));
  const from = start === 0 ? 0 : flat.indexOf(' ', start) + 1;
  const length = SNIPPET_LENGTH - 2;
  const cut = stretch(flat, from, from + length);
  return `${from > 0 ? '…' : ''}${cut}${from + length < flat.length ? '…' : ''}`.toWellFormed();
}

function scoreText(text: string, weight: number, query: string, terms: readonly string[], sectionId?: string): Scored {
  const folded = foldAccents(text);
  const found = terms.filter((term) => folded.includes(term));
  const phrase = terms.length > 1 && folded.includes(query) ? PHRASE_BONUS : 0;
  return { sectionId, text, found, score: weight * (found.length + phrase) };
}

function scoreDocument(document: EntryDocument, query: string, terms: readonly string[]) {
  const { title, excerpt, slug, tags, kind, terms: groups = {}, custom = {}, sections } = document;
  const filed = [slug, ...(tags ?? []), kind ?? '', ...Object.values(groups).flat(), ...Object.values(custom)];
  const texts = [
    scoreText(title, TITLE_WEIGHT, query, terms),
    scoreText(excerpt ?? '', EXCERPT_WEIGHT, query, terms),
    scoreText(filed.join(' '), EXCERPT_WEIGHT, query, terms),
    ...sections.map((section) => scoreText(sectionPlainText(section), SECTION_WEIGHT, query, terms, section.id)),
  ];
  return {
    texts,
    termsFound: new Set(texts.flatMap(({ found }) => found)).size,
    score: texts.reduce((sum, { score }) => sum + score, 0),
    best: texts.reduce((best, text) => (text.score > best.score ? text : best)),
  };
}

/**
 * Entries that contain the words of `query`, compared by `foldAccents`, best first: those with more of its words, then
 * those with them in more prominent places. Entries with only some of the words count only if no entry has all of them.
 */
export function searchEntries(entries: readonly Entry[], query: string): SearchHit[] {
  const terms = termsOf(query);
  const folded = foldAccents(query).trim();
  const scored = entries
    .map((entry) => ({ entry, ...scoreDocument(entry.draft, folded, terms) }))
    .filter(({ termsFound }) => termsFound > 0);
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

/**
 * The best place in a document that contains words of `query`, compared by `foldAccents`, other than its title; null: its
 * title contains all words, or no place contains any.
 */
export function findMatch(
  document: EntryDocument,
  query: string,
): { readonly sectionId?: string; readonly snippet: string } | null {
  const terms = termsOf(query);
  const [title, ...others] = scoreDocument(document, foldAccents(query).trim(), terms).texts;
  if (title === undefined || title.found.length === terms.length) return null;
  const best = others.reduce((found, text) => (text.score > found.score ? text : found), title);
  const [term] = best.found;
  if (best === title || term === undefined) return null;
  return {
    ...(best.sectionId !== undefined && { sectionId: best.sectionId }),
    snippet: snippetAround(best.text, term),
  };
}
