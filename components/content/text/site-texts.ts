import german from '#messages/de.json' with { type: 'json' };
import english from '#messages/en.json' with { type: 'json' };

/** Texts of the site itself, around the content of its editors. */
export type SiteTexts = typeof english.site;

/** The texts of the languages that have some, by primary language: `de` of `de-AT`. */
const translations: Readonly<Partial<Record<string, SiteTexts>>> = { de: german.site };

/**
 * The texts of a site in its language; English for a language without texts.
 * @param language language tag (BCP 47): `de-AT`
 */
export function siteTexts(language: string): SiteTexts {
  return translations[language.split('-', 1)[0] ?? ''] ?? english.site;
}
