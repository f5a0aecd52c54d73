/* A message may be long and contain anything: no pattern takes more than quadratic time. */

/** One request of a message; in `text`, `\uFDD0n\uFDD1` stands for the n-th quoted string. */
export interface Clause {
  readonly text: string;
  /** Including their quotation marks. */
  readonly quotes: readonly string[];
}

/** Pattern of one masked string, with Unicode noncharacters. */
export const QUOTED = '\\uFDD0\\d+\\uFDD1';

/** Represents the page or post mentioned last. */
export const IT = 'it';

const VERBS =
  'create|make|add|write|insert|put|change|set|update|rename|remove|delete|publish|unpublish|list|show|open|find|' +
  'search|look|undo|always|never|what|which|recap|' +
  // Not understood, but needed to separate the next request from a long name.
  'translate|rewrite|shorten|improve|move|duplicate|copy|upload|check|fix|explain|summari[sz]e|import|export|help';
const POLITE =
  '(?:(?:please|now|also|then|next|finally|first|and|ok|okay|so) |(?:hey|hi|hello|thanks)[,!] |(?:can|could|would|will) you |from now on,? )';
const POLITE_START = new RegExp(`^${POLITE}{1,4}`, 'i');
const POLITE_END = / (?:please|thanks|thank you|for me)$/i;
const SENTENCE_END = /\n+|[.!?;]{1,3}(?=\s|$)/;
const JOINT = new RegExp(`(?:,? (?:and then|and also|and|then) |, )(?=${POLITE}{0,4}(?:${VERBS})(?![\\w-]))`, 'i');
const STANDING_JOINT = / and (?=(?:always|never) )/i;
const LIST_MARKER = /^ ?(?:[-*•] |\d{1,3}[.)] )/gm;
const ON_SITE = /^(?:on|for) (?:this|our|the) site[,:]? /i;

/** The requests of a message, in order, without polite phrases. */
export function splitClauses(message: string): Clause[] {
  const quotes: string[] = [];
  const masked = message
    .replaceAll(/[\uFDD0\uFDD1]/g, '')
    .replaceAll(/"[^"]*"|“[^“”]*”/g, (quote) => `\uFDD0${quotes.push(quote) - 1}\uFDD1`)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(LIST_MARKER, '');
  return masked
    .split(SENTENCE_END)
    .map(withoutCourtesy)
    .flatMap((line) => line.split(isStanding(line) ? STANDING_JOINT : JOINT))
    .map((text) => ({ text: withoutCourtesy(text), quotes }))
    .filter(({ text }) => text !== '');
}

function withoutCourtesy(text: string): string {
  return text.trim().replace(POLITE_START, '').replace(POLITE_END, '');
}

/** True for "always ..." and "never ...", which request no action now. */
export function isStanding(text: string): boolean {
  return /^(?:always|never(?! mind)) /i.test(text.replace(ON_SITE, ''));
}

/** The rule in "on this site, never ...", as a sentence; null for any other clause. */
export function siteRule({ text, quotes }: Clause): string | null {
  return ON_SITE.test(text) ? sentence(valueOf(text.replace(ON_SITE, ''), quotes)) : null;
}

/** A piece of a clause exactly as written; without quotation marks if it is a single quoted string. */
export function valueOf(piece: string | undefined, quotes: Clause['quotes']): string {
  const text = (piece ?? '').trim();
  const whole = new RegExp(`^${QUOTED}$`).test(text);
  const written = text.replaceAll(/\uFDD0(\d+)\uFDD1/g, (_mask, index: string) => quotes[Number(index)] ?? '');
  return whole ? written.slice(1, -1) : written;
}

/** The page or post that a piece names, without "the" and "page"; `IT` for a pronoun or an empty piece. */
export function nameOf(piece: string | undefined, quotes: Clause['quotes']): string {
  const text = (piece ?? '').trim();
  if (/^(?:|it|that|this|(?:the|that|this|the new) (?:page|post))$/i.test(text)) return IT;
  const bare = text
    .replace(/^(?:the|my) /i, '')
    .replace(/^(?:page|post) (?:called |named |titled )?/i, '')
    .replace(/ (?:page|post)$/i, '');
  return valueOf(bare, quotes).replace(/^\/(?=.)/, '');
}

/** A phrase as a sentence: capital letter first, full stop last. */
export function sentence(phrase: string): string {
  const [first = ''] = phrase;
  return `${first.toUpperCase()}${phrase.slice(first.length)}${/[.!?…]$/.test(phrase) ? '' : '.'}`;
}

/** Lower case, letters and digits only, single spaces: the form in which names and answers are compared. */
export function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function hasWords(text: string, words: readonly string[]): boolean {
  const known = normalized(text).split(' ');
  return words.every((word) => known.includes(word));
}
