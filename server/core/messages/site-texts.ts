import german from '#messages/site/de.json' with { type: 'json' };
import english from '#messages/site/en.json' with { type: 'json' };
import spanish from '#messages/site/es.json' with { type: 'json' };
import french from '#messages/site/fr.json' with { type: 'json' };

/** Texts of the site itself, around the content of its editors. */
export type SiteTexts = typeof english;

/** A tree of texts in which any may be missing. */
interface PartialTexts {
  readonly [key: string]: string | PartialTexts;
}

/** Texts by language: of a tag, or of its primary language (`pt-BR` before `pt`). English completes each of them. */
export const siteTextsByLanguage: Readonly<Record<string, PartialTexts>> = {
  de: german,
  en: english,
  es: spanish,
  fr: french,
};

function completed(texts: PartialTexts, from: PartialTexts): PartialTexts {
  const all = Object.entries(from).map(([key, fallback]) => {
    const text = texts[key];
    if (typeof fallback === 'string') return [key, typeof text === 'string' ? text : fallback];
    return [key, completed(typeof text === 'object' ? text : {}, fallback)];
  });
  return Object.fromEntries(all) as PartialTexts;
}

/** Complete texts by language; completing them for each page would be slow. */
const complete = new Map(
  Object.entries(siteTextsByLanguage).map(([tag, texts]) => [
    tag.toLowerCase(),
    completed(texts, english) as SiteTexts,
  ]),
);

/**
 * The texts of a site in its language; English where the language has none.
 * @param language language tag (BCP 47): `de-AT`
 */
export function siteTexts(language: string): SiteTexts {
  const tag = language.toLowerCase();
  return complete.get(tag) ?? complete.get(tag.split('-', 1)[0] ?? '') ?? english;
}

/** Address of the example of opening hours, in each language of the screens. */
export const exampleAddresses: readonly string[] = [english.exampleAddress, german.exampleAddress];
