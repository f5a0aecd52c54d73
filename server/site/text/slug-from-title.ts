import type { EntryType } from '#server/core/site/content';

/** Longest slug made from a title, in characters. */
const MAX_MADE_LENGTH = 80;

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '&': ' and ',
};

/** Umlauts in German spelling without these letters. */
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
/** A letter that German never uses, not even in a word like Café: Swedish å, Turkish ş, Spanish ñ. */
const NOT_GERMAN = /(?![äöüßàéèê])[^\p{ASCII}\P{L}]/u;

/** The text in lower case with its umlauts spelt out, unless it is clearly in another language that has umlauts. */
function withoutUmlauts(text: string): string {
  const lower = text.toLowerCase().normalize('NFC');
  return NOT_GERMAN.test(lower) ? lower : lower.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter);
}

/** A short hash of a text (FNV-1a, base 36). */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(36);
}

/** Shortens at a hyphen if one is near the limit. */
function shortened(slug: string): string {
  if (slug.length <= MAX_MADE_LENGTH) return slug;
  const cut = slug.slice(0, MAX_MADE_LENGTH + 1);
  const hyphen = cut.lastIndexOf('-');
  return hyphen > MAX_MADE_LENGTH / 2 ? cut.slice(0, hyphen) : cut.slice(0, MAX_MADE_LENGTH);
}

/** The words of a text in lower-case Latin letters, joined by hyphens, up to a limit; empty if it has none. */
export function latinWords(text: string): string {
  const latin = text
    .toLowerCase()
    .replace(/[ßæœøłđðþı&]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return shortened(latin);
}

/**
 * The slug of a title: `Café & Bar, 2nd floor` becomes `cafe-and-bar-2nd-floor`, `Töpfern` `toepfern`. A title without any Latin letter or
 * digit gives `<type>-<code>`, the same code for the same title.
 */
export function slugFromTitle(title: string, type: EntryType): string {
  return latinWords(withoutUmlauts(title)) || `${type}-${shortHash(title)}`;
}
