import { valueOf } from '#server/models/offline/grammar';
import type { Clause } from '#server/models/offline/grammar';

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
