import { latinWords, MAX_SLUG_LENGTH, SLUG_PATTERN, slugFromTitle } from '#server/content/slugs';
import type { EntryType } from '#server/core/content';
import { percentDecoded } from '#server/core/percent-decoded';

/** Letters that our slugs cannot spell. */
const UNSPELLED = /[^\p{Script=Latin}\p{N}\p{P}\p{S}\p{Z}\p{M}]/u;

/** The slug of the source where ours may be like it, in Latin letters where it can be, else one of the title. */
export function plannedSlug(slug: string, title: string, type: EntryType): string {
  const decoded = percentDecoded(slug);
  if (decoded.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(decoded)) return decoded;
  const spelled = UNSPELLED.test(decoded) ? '' : latinWords(decoded);
  return spelled === '' ? slugFromTitle(title, type) : spelled;
}

/** The same slug with a number that makes it another: `about-2`. */
export function numberedSlug(slug: string, number: number): string {
  const ending = `-${number}`;
  return `${slug.slice(0, MAX_SLUG_LENGTH - ending.length).replace(/-+$/, '')}${ending}`;
}
