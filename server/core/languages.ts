/**
 * Languages of the interface, each by its own name. English is written in the `words.ts` of the features; every other
 * one has a file in `components/languages`.
 */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type LanguageCode = keyof typeof languages;

export const languageCodes = Object.keys(languages) as [LanguageCode, ...LanguageCode[]];

/** Cookie with the language that was chosen in a browser. */
export const LANGUAGE_COOKIE = 'throughline-language';

const IN_COOKIE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=(\\w+)`);

/** The language that a `Cookie` header, or the cookies of a document, name; null: none that we have. */
export function languageInCookie(cookie: string): LanguageCode | null {
  const code = IN_COOKIE.exec(cookie)?.[1];
  return isLanguage(code) ? code : null;
}

export function isLanguage(code: string | null | undefined): code is LanguageCode {
  return typeof code === 'string' && Object.hasOwn(languages, code);
}
