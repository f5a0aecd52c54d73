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

/** Type of a translation: strings may differ, everything else has the same type as in English. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => infer Said
    ? (...given: Given) => Words<Said>
    : { readonly [Name in keyof T]: Words<T[Name]> };

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

/**
 * Texts that are looked up in the current language when they are read: a table may be imported at the top of a module,
 * but a text must be read when it is rendered.
 * @param name of these texts in the dictionaries
 * @param english the English texts, also the fallback for missing translations
 */
export function inYourLanguage<const T extends object>(name: string, english: T): Words<T> {
  // Pages in English avoid the cost of translation.
  if (ofPage === 'en') return english as unknown as Words<T>;
  return translated(english, () => lookUp(spoken().dictionary, name)) as Words<T>;
}

/**
 * A view of the English texts that returns translations. A translation of another type than the English entry (a text
 * instead of a function) is ignored.
 */
function translated(english: object, translation: () => unknown): object {
  const within = new Map<string, object>();
  return new Proxy(english, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return own;
      const other = () => lookUp(translation(), name);
      if (typeof own !== 'object' || own === null) {
        const text = other();
        return typeof text === typeof own && own !== null ? text : own;
      }
      const known = within.get(name) ?? translated(own, other);
      within.set(name, known);
      return known;
    },
  });
}

/** The entry of a table under a name; undefined if there is no such table or entry. */
function lookUp(table: unknown, name: string): unknown {
  return typeof table === 'object' && table !== null ? Reflect.get(table, name) : undefined;
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

/**
 * The entry for a key that comes from outside, such as a code of the server or the name of a tool; undefined if there
 * is none.
 */
export function wordOf<Word>(words: Readonly<Record<string, Word>>, key: string): Word | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
