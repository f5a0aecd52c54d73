import { isLanguage, type LanguageCode } from '#server/core/languages';

/** The words of one language by the names that `inYourLanguage` gave them. */
export type Dictionary = object;

/** The language that is spoken: in a browser one until the page is loaded again, on the server another with each request. */
export interface Spoken {
  readonly code: LanguageCode;
  /** Null: English, or not loaded yet. */
  readonly dictionary: Dictionary | null;
}

/** Texts may be any, everything else is as it is in English. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => infer Said
    ? (...given: Given) => Words<Said>
    : { readonly [Name in keyof T]: Words<T[Name]> };

/**
 * On the server, the language of the request that is being answered. It is kept where all copies of this module find
 * it: Next makes one for pages, another for rendering, and the HTTP server has its own.
 */
export const ofRequest = globalThis as typeof globalThis & {
  throughlineLanguage?: { getStore: () => Spoken | undefined };
};

/** Language of the page that a browser has; '' on the server, and on a page that could not be rendered there. */
const ofPage = typeof document === 'undefined' ? '' : document.documentElement.lang;

let inBrowser: Spoken = { code: isLanguage(ofPage) ? ofPage : 'en', dictionary: null };

/** The language to speak now. */
export function spoken(): Spoken {
  return ofRequest.throughlineLanguage?.getStore() ?? inBrowser;
}

/** Makes a browser speak the language of its page from now on. */
export function speak(language: Spoken): void {
  inBrowser = language;
}

/**
 * Words that are read in the language that is spoken when they are read: a table of them can be named at the top of a
 * module, a text in it must be read when it is shown.
 * @param name of these words in the dictionaries
 * @param english the words, and what stands for one that a dictionary does not have
 */
export function inYourLanguage<const T extends object>(name: string, english: T): Words<T> {
  // A page in English pays nothing for there being other languages.
  if (ofPage === 'en') return english as unknown as Words<T>;
  return mirror(english, () => inside(spoken().dictionary, name)) as Words<T>;
}

function mirror(english: object, translation: () => unknown): object {
  const within = new Map<string, object>();
  return new Proxy(english, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return own;
      const other = () => inside(translation(), name);
      if (typeof own !== 'object' || own === null) {
        const text = other();
        return typeof text === typeof own && own !== null ? text : own;
      }
      const known = within.get(name) ?? mirror(own, other);
      within.set(name, known);
      return known;
    },
  });
}

/** The entry of a table under a name. */
function inside(table: unknown, name: string): unknown {
  return typeof table === 'object' && table !== null ? Reflect.get(table, name) : undefined;
}

/** Makes something once for each language: `perLanguage((locale) => new Intl.Collator(locale))`. */
export function perLanguage<T>(make: (code: LanguageCode) => T): () => T {
  const made = new Map<LanguageCode, T>();
  return () => {
    const { code } = spoken();
    const known = made.get(code) ?? make(code);
    made.set(code, known);
    return known;
  };
}

/** The word of a key that comes from elsewhere: from the server, or as the name of a tool. */
export function wordOf<Word>(words: Readonly<Record<string, Word>>, key: string): Word | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
