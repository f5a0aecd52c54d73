import type englishMessages from '#messages/en.json';
import { isLanguage, type LanguageCode } from '#server/core/languages';

/** The messages of a language; every language has those of English. */
export type Messages = typeof englishMessages;

/** The texts of one language, by the names passed to `inYourLanguage`. */
export type Dictionary = object;

/** The current language: constant in a browser until the page is reloaded, different for each request on the server. */
export interface Spoken {
  readonly code: LanguageCode;
  /** Null for English, or while loading. */
  readonly dictionary: Dictionary | null;
  /** The messages of the language; null while a browser loads them, and on the server outside of requests for pages. */
  readonly messages: Messages | null;
}

/**
 * On the server, the language of the current request. Global, so that all copies of this module share it: Next creates
 * one for pages and another for rendering, and the HTTP server has its own.
 */
export const ofRequest = globalThis as typeof globalThis & {
  throughlineLanguage?: { getStore: () => Spoken | undefined };
};

/** Language of the page in a browser; '' on the server, and on a page that could not be rendered there. */
const ofPage = typeof document === 'undefined' ? '' : document.documentElement.lang;

/** The language of the page in a browser, before and after its texts are loaded. */
let inBrowser: Spoken = { code: isLanguage(ofPage) ? ofPage : 'en', dictionary: null, messages: null };

/** The current language. */
export function spoken(): Spoken {
  return ofRequest.throughlineLanguage?.getStore() ?? inBrowser;
}

/** Sets the language of the browser. */
export function speak(language: Spoken): void {
  inBrowser = language;
}

/** Creates a value once per language: `perLanguage((locale) => new Intl.Collator(locale))`. */
export function perLanguage<T>(make: (code: LanguageCode) => T): () => T {
  const made = new Map<LanguageCode, T>();
  return () => {
    const { code } = spoken();
    const known = made.get(code) ?? make(code);
    made.set(code, known);
    return known;
  };
}
