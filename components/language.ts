import type englishMessages from '#messages/en.json';
import { isLanguage, type LanguageCode } from '#server/core/languages';

/** The messages of a language; every language has those of English. */
export type Messages = typeof englishMessages;

/** A language: constant in a browser until the page is reloaded, different for each request on the server. */
export interface Language {
  readonly code: LanguageCode;
  /** Null while a browser loads them, and on the server outside of requests for pages. */
  readonly messages: Messages | null;
}

/**
 * On the server, the language of the current request. Global, so that all copies of this module share it: Next creates
 * one for pages and another for rendering, and the HTTP server has its own.
 */
export const requestLanguage = globalThis as typeof globalThis & {
  throughlineLanguage?: { getStore: () => Language | undefined };
};

/** Language of the page in a browser; '' on the server, and on a page that could not be rendered there. */
const ofPage = typeof document === 'undefined' ? '' : document.documentElement.lang;

/** The language of the page in a browser, before and after its messages are loaded. */
let inBrowser: Language = { code: isLanguage(ofPage) ? ofPage : 'en', messages: null };

/** The current language. */
export function currentLanguage(): Language {
  return requestLanguage.throughlineLanguage?.getStore() ?? inBrowser;
}

/** Sets the language of the browser. */
export function setLanguage(language: Language): void {
  inBrowser = language;
}

/** Creates a value once per language: `perLanguage((locale) => new Intl.Collator(locale))`. */
export function perLanguage<T>(make: (code: LanguageCode) => T): () => T {
  const made = new Map<LanguageCode, T>();
  return () => {
    const { code } = currentLanguage();
    const known = made.get(code) ?? make(code);
    made.set(code, known);
    return known;
  };
}
