/** Languages of the interface, each with its name in that language. Their texts are in `messages`, a file for each. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type LanguageCode = keyof typeof languages;

/** Codes of all languages. */
export const languageCodes = Object.keys(languages) as [LanguageCode, ...LanguageCode[]];

/** Cookie with the language chosen in this browser. */
export const LANGUAGE_COOKIE = 'throughline-language';

/** Finds the language in cookies. */
const IN_COOKIE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=(\\w+)`);

/** Language named in a `Cookie` header or in the cookies of a document; null if it is missing or not supported. */
export function languageInCookie(cookie: string): LanguageCode | null {
  const code = IN_COOKIE.exec(cookie)?.[1];
  return isLanguage(code) ? code : null;
}

/** True for the code of a supported language. */
export function isLanguage(code: string | null | undefined): code is LanguageCode {
  return typeof code === 'string' && Object.hasOwn(languages, code);
}

/** The supported language of a language tag (BCP 47), for example `de` of `de-AT`; English if it is not supported. */
export function languageOfTag(tag: string): LanguageCode {
  const primary = tag.split('-', 1)[0];
  return isLanguage(primary) ? primary : 'en';
}

/** The locale for numbers and dates of a language: British English for English. */
export function localeOf(language: LanguageCode): string {
  return language === 'en' ? 'en-GB' : language;
}
