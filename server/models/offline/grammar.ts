import type { Ordinal } from '#server/models/offline/requests';

/*
 * Cuts what a user wrote into clauses. Quoted strings are masked first, so that nothing in here ever looks inside
 * them. Every pattern is linear: a message may be 100,000 letters without a space.
 */

/** One request of a message; `text` has `\uFDD0n\uFDD1` where the n-th quoted string stands. */
export interface Clause {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

interface Quote {
  /** With its quotation marks. */
  readonly raw: string;
  readonly value: string;
}

/** Matches the mask of one quoted string; noncharacters of Unicode, which no text may contain. */
export const QUOTED = '\\uFDD0\\d+\\uFDD1';

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '“': '”', '«': '»', '‘': '’', "'": "'", '`': '`' };

const VERBS =
  'create|make|add|write|build|insert|put|include|change|set|update|edit|replace|rename|retitle|tag|move|remove|delete|drop|take|' +
  'publish|republish|unpublish|list|show|open|view|read|get|find|search|look|undo|revert|always|never|what|which|tell|recap|recall|' +
  // Verbs that only serve to tell a next request from a long name: nothing here understands them.
  'translate|rewrite|shorten|improve|optimi[sz]e|duplicate|copy|upload|generate|send|design|check|fix|review|explain|' +
  'summari[sz]e|import|export|schedule|resize|restore|hide|help';
const SITE = '(?:on|for|across) (?:this|the|our)(?: whole| entire)? site';
const POLITE = `(?:${SITE},? |(?:please|now|also|then|next|finally|first|and|ok|okay|so|great|hey|hi|hello|thanks|thank you)[,!.:]* |(?:can|could|would|will) you |i(?:'d|’d| would) like (?:you )?to |i (?:want|need) (?:you )?to |let(?:'|’)s |go ahead and |from now on,? )`;
const STARTER = new RegExp(`${POLITE}{0,4}(?:${VERBS})(?![\\w-])`, 'iy');
const STANDING = new RegExp(`${POLITE}{0,4}(?:always|never(?! mind))(?![\\w-])`, 'iy');
const POLITE_PREFIX = new RegExp(`^${POLITE}{1,4}`, 'i');
/** In front or at the end of what is to hold in every conversation. */
const SITE_FIRST = new RegExp(`^${POLITE}{0,3}${SITE},? `, 'i');
const SITE_LAST = new RegExp(`,? ${SITE}$`, 'i');
const SEPARATOR = /\n+|[.!?;](?=[ \n]|$)|,? (?:and then|and also|and|then|plus) |, /gi;
/** After these words comes content, which may hold several sentences. */
const CARRIES_CONTENT = /(?:^| )(?:with|about|saying|says|to|question|answer)[ :]/i;
const LIST_MARKER = /^ ?(?:[-*•] |\d{1,3}[.)] )/gm;
const ONLY_POLITE = new RegExp(
  `^(?:please|now|also|then|next|finally|first|and|ok|okay|so|great|hey|hi|hello|thanks|thank you|from now on|${SITE})$`,
  'i',
);

/** The clauses of a message, in order; empty ones are left out. */
export function splitClauses(message: string): Clause[] {
  const { masked, quotes } = maskQuotes(message);
  return cut(masked.replaceAll(LIST_MARKER, ''))
    .map((piece) => ({ text: tidy(piece), quotes }))
    .filter((clause) => clause.text !== '');
}

/** The clause as it was written. */
export function verbatim(clause: Clause): string {
  return unmask(clause.text, clause.quotes, (quote) => quote.raw);
}

/** A piece of a clause as a value: a quoted string without its quotation marks, anything else as it was written. */
export function valueOf(piece: string, quotes: readonly Quote[]): string {
  const text = trimPunctuation(piece.trim());
  const whole = /^\uFDD0(\d+)\uFDD1$/.exec(text);
  if (whole) return quotes[Number(whole[1])]?.value ?? '';
  return unmask(text, quotes, (quote) => quote.raw);
}

/** Whether a clause tells how to work from now on, rather than asking for something. */
export function isStanding(text: string): boolean {
  STANDING.lastIndex = 0;
  return STANDING.test(text);
}

/** A standing clause that is said of the whole site, as a sentence without the words that say so; else null. */
export function siteRule({ text, quotes }: Clause): string | null {
  if (!SITE_FIRST.test(text) && !SITE_LAST.test(text)) return null;
  const rule = verbatim({ text: withoutCourtesy(text.replace(SITE_LAST, '')), quotes });
  return `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
}

/** A clause without its courtesies in front and behind. */
export function withoutCourtesy(text: string): string {
  let rest = text.replace(POLITE_PREFIX, '');
  for (const ending of [' please', ' thanks', ' thank you', ' for me']) {
    if (rest.toLowerCase().endsWith(ending)) rest = trimPunctuation(rest.slice(0, -ending.length));
  }
  return rest === '' ? text : rest;
}

function maskQuotes(message: string): { masked: string; quotes: Quote[] } {
  const text = message.replaceAll(/[\uFDD0\uFDD1]/g, '').replaceAll(/\r\n?/g, '\n');
  const quotes: Quote[] = [];
  const unclosed = new Set<string>();
  let masked = '';
  let done = 0;
  for (let at = 0; at < text.length; at += 1) {
    const opening = text[at] ?? '';
    const closing = CLOSING[opening];
    if (closing === undefined || unclosed.has(opening) || !mayOpen(text, at)) continue;
    const end = closingIndex(text, at + 1, closing);
    if (end === -1) {
      unclosed.add(opening);
      continue;
    }
    masked += `${spaced(text.slice(done, at))}\uFDD0${quotes.length}\uFDD1`;
    quotes.push({ raw: text.slice(at, end + 1), value: text.slice(at + 1, end) });
    at = end;
    done = end + 1;
  }
  return { masked: masked + spaced(text.slice(done)), quotes };
}

/** An apostrophe inside a word opens nothing. */
function mayOpen(text: string, at: number): boolean {
  const opening = text[at];
  return (opening !== "'" && opening !== '‘') || at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

function closingIndex(text: string, from: number, closing: string): number {
  for (let at = text.indexOf(closing, from); at !== -1; at = text.indexOf(closing, at + 1)) {
    const apostrophe = (closing === "'" || closing === '’') && /[\p{L}\p{N}]/u.test(text[at + 1] ?? '');
    if (!apostrophe) return at;
  }
  return -1;
}

function spaced(text: string): string {
  return text.replaceAll(/[^\S\n]+/g, ' ');
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let colon = false;
  for (const match of text.matchAll(SEPARATOR)) {
    const end = match.index + match[0].length;
    const piece = text.slice(start, match.index);
    if (match[0].startsWith('\n')) colon ||= piece.trimEnd().endsWith(':');
    if (!endsClause(text, piece, match[0], end, colon)) continue;
    pieces.push(piece);
    start = end;
    colon = false;
  }
  pieces.push(text.slice(start));
  return pieces;
}

function endsClause(text: string, piece: string, separator: string, end: number, afterColon: boolean): boolean {
  const next = separator.startsWith('\n') || !/[.!?;]/.test(separator[0] ?? '') ? end : end + 1;
  const standing = isStanding(piece.trimStart());
  const pattern = standing && /^[, ]/.test(separator) ? STANDING : STARTER;
  pattern.lastIndex = next;
  if (pattern.test(text)) return !ONLY_POLITE.test(piece.trim());
  if (separator.startsWith('\n')) return !afterColon;
  return /^[.!?;]/.test(separator) && (standing || !CARRIES_CONTENT.test(piece));
}

function tidy(piece: string): string {
  return trimPunctuation(piece.trim());
}

/** By hand: a pattern for "punctuation at the end" is quadratic on a long run of dots in the middle. */
function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.!?;,: \n'.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

function unmask(text: string, quotes: readonly Quote[], show: (quote: Quote) => string): string {
  return text.replaceAll(/\uFDD0(\d+)\uFDD1/g, (_mask, index: string) => {
    const quote = quotes[Number(index)];
    return quote === undefined ? '' : show(quote);
  });
}

/** What stands for the entry spoken of last. */
export const IT = 'it';

const PRONOUN = /^(?:it|that|this|them|(?:that|this|the|the new|the same) (?:page|post|one|article|draft))$/i;
const HOME = /^(?:home ?page|front page|start page)$/i;

/**
 * The page or post that a piece of a clause names: quoted names stay as they are, others lose "the" in front and
 * "page" behind. `IT` for a pronoun and for nothing at all.
 */
export function nameOf(piece: string | undefined, quotes: Clause['quotes']): string {
  if (piece === undefined) return IT;
  const text = piece.trim();
  if (text === '' || PRONOUN.test(text)) return IT;
  const named =
    /^(?:the |a )?(?:blog )?(?:page|post|article) (?:called |named |titled )?(.+)$/is.exec(text)?.[1] ?? text;
  const bare = named.replace(/^(?:the|my) /i, '');
  const short = bare.replace(/ (?:blog post|page|post|article)$/i, '');
  const value = valueOf(short, quotes);
  if (HOME.test(bare)) return 'Home';
  return value.startsWith('/') && value.length > 1 ? value.slice(1) : value;
}

/** The names in `A, B and C`; just the one where there is no list. */
export function splitNames(ref: string): string[] {
  return ref
    .split(/, and |, | and | & /i)
    .map((name) => nameOf(name, []))
    .filter((name) => name !== IT);
}

/** Lower case, letters and digits only, single spaces: how names are compared. */
export function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** First letter in upper case, a full stop at the end: a phrase as a sentence. */
export function sentence(phrase: string): string {
  const text = phrase.trim();
  const [first = ''] = text;
  return `${first.toUpperCase()}${text.slice(first.length)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** Alternatives that match which of several is meant. */
export const ORDINAL_PATTERN = `${ORDINALS.join('|')}|last`;
/** Alternatives that match a place within a page. */
export const PLACE_PATTERN =
  'top|start|beginning|front|bottom|end|(?:position|place|number) \\d{1,3}|(?:first|second|third|fourth|fifth|last) (?:position|place)';

/** Index of an ordinal word, -1 for "last", 0 for none. */
export function ordinalOf(word: string | undefined): Ordinal {
  if (word === undefined) return 0;
  return word.toLowerCase() === 'last' ? -1 : Math.max(0, ORDINALS.indexOf(word.toLowerCase()));
}

/** Position from 1, -1 for last, of a text that matched `PLACE_PATTERN`. */
export function placeOf(text: string): number {
  const number = /\d+/.exec(text);
  if (number) return Math.max(1, Number(number[0]));
  if (/^(?:bottom|end|last)/i.test(text)) return -1;
  return ordinalOf(text.split(' ')[0]) + 1;
}
