import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { requestLanguage, type Language } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import { isLanguage, type LanguageCode, languageCodes, languageInCookie } from '#server/core/languages';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** The language of the request that is being answered. */
const languages = new AsyncLocalStorage<Language>();
requestLanguage.throughlineLanguage = languages;

/** Paths of pages in the language of the site instead of the visitor's. */
const SITE_PAGE = /^\/site(\/|$)/;

/**
 * Answers a request for a page in the language of the user: the one chosen for the account, else the one chosen in this
 * browser, else the first supported one that the browser requests, else English.
 * @param path of the address, decoded
 */
export async function inLanguageOfUser<T>(
  request: IncomingMessage,
  path: string,
  answer: () => Promise<T>,
): Promise<T> {
  return inLanguage(
    SITE_PAGE.test(path) ? 'en' : ((await languageOfAccount(request)) ?? requestedLanguage(request)),
    answer,
  );
}

/** Runs `answer` with a language set. */
export async function inLanguage<T>(code: LanguageCode, answer: () => Promise<T>): Promise<T> {
  return languages.run(await loadLanguage(code), answer);
}

/** The language chosen for the account; null if the user is not signed in or has chosen none: the page itself reports sign-in errors. */
async function languageOfAccount({ headers: { cookie } }: IncomingMessage): Promise<LanguageCode | null> {
  if (cookie === undefined) return null;
  try {
    const accounts = (await globals.throughlineServices)?.accounts;
    return (await accounts?.languageOf(new Headers({ cookie }))) ?? null;
  } catch {
    return null;
  }
}

/** The language that a browser requests, by its cookie or by its settings. */
export function requestedLanguage({ headers }: Pick<IncomingMessage, 'headers'>): LanguageCode {
  const chosen = languageInCookie(headers.cookie ?? '');
  if (chosen !== null) return chosen;
  const [first] = new Negotiator({ headers }).languages([...languageCodes]);
  return isLanguage(first) ? first : 'en';
}
