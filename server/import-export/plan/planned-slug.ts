import { latinWords, slugFromTitle } from '#server/site/text/slug-from-title';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/site/document-fields';
import { percentDecoded } from '#server/core/addresses';
import type { EntryType } from '#server/core/site/content';

/** Matches a letter of a script other than Latin: slugs contain Latin letters only. */
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{N}\p{P}\p{S}\p{Z}\p{M}]/u;

/**
 * The slug to use for a slug of the source: the same (percent-decoded) if it is valid here, else its transliteration to
 * Latin letters, else, if it has letters of other scripts, a slug made from the title.
 */
export function plannedSlug(slug: string, title: string, type: EntryType): string {
  const decoded = percentDecoded(slug);
  if (decoded.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(decoded)) return decoded;
  const latin = OTHER_SCRIPT.test(decoded) ? '' : latinWords(decoded);
  return latin === '' ? slugFromTitle(title, type) : latin;
}
