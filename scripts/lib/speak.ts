import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { ofRequest, type Spoken } from '#components/in-your-language';
import { translationOf } from '#components/languages/load-translation';
import { isLanguage, type LanguageCode, languageCodes, languageInCookie } from '#server/core/languages';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Pick<Services, 'accounts'>> };

const requests = new AsyncLocalStorage<Spoken>();
ofRequest.throughlineLanguage = requests;

/** Pages that are written in the language of the site and not in that of who looks at them. */
const SITE = /^\/site(\/|$)/;

/**
 * Answers a request for a page in the language of whoever sends it: what they chose for their account, else in this
 * browser, else the first of those that the browser asks for and we have, else English.
 * @param path of the address, decoded
 */
export async function speakAs<T>(request: IncomingMessage, path: string, answer: () => Promise<T>): Promise<T> {
  return speakIn(SITE.test(path) ? 'en' : ((await ofAccount(request)) ?? languageAsked(request)), answer);
}

/** Does something in a language. */
export async function speakIn<T>(code: LanguageCode, answer: () => Promise<T>): Promise<T> {
  return requests.run({ code, dictionary: await translationOf(code) }, answer);
}

/** Null: nobody has signed in, or they chose none; what is wrong with the sign-in the page itself tells. */
async function ofAccount({ headers: { cookie } }: IncomingMessage): Promise<LanguageCode | null> {
  if (cookie === undefined) return null;
  try {
    const accounts = (await globals.throughlineServices)?.accounts;
    return (await accounts?.languageOf(new Headers({ cookie }))) ?? null;
  } catch {
    return null;
  }
}

/** The language that a browser asks for, by its cookie or by its settings. */
export function languageAsked({ headers }: Pick<IncomingMessage, 'headers'>): LanguageCode {
  const chosen = languageInCookie(headers.cookie ?? '');
  if (chosen !== null) return chosen;
  const [first] = new Negotiator({ headers }).languages([...languageCodes]);
  return isLanguage(first) ? first : 'en';
}
