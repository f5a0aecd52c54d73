import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestedLanguage, inLanguage } from '#scripts/lib/request-language';
import { RateLimitedError } from '#server/core/errors';
import type { LanguageCode } from '#server/core/languages';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/**
 * Counts a page that is about to be rendered against the visitor's rate limit. Answers 429 if the limit is exceeded,
 * because Next cannot do that once it has started to render.
 * @returns whether the page may be rendered
 */
export async function limitPage(request: IncomingMessage, address: string, response: ServerResponse): Promise<boolean> {
  try {
    const services = await globals.throughlineServices;
    await services?.limits.page(address);
  } catch (error) {
    // The page itself reports any other error.
    if (!(error instanceof RateLimitedError)) return true;
    const { retryAfterSeconds } = error;
    // The language comes from the request alone: a rate-limited client causes no account lookup.
    const language = requestedLanguage(request);
    const text = await inLanguage(language, () => pageText(language, retryAfterSeconds));
    response
      .writeHead(429, { 'content-type': 'text/html; charset=utf-8', 'retry-after': String(retryAfterSeconds) })
      .end(text);
    return false;
  }
  return true;
}

/** A plain page that contains nothing from the request. Its texts are loaded when they are first needed. */
async function pageText(language: LanguageCode, seconds: number): Promise<string> {
  const [{ translator }, { fallbackStyle }] = await Promise.all([
    import('#components/i18n.ts'),
    import('#server/core/fallback-style'),
  ]);
  const t = translator('shared.tooManyPages');
  const title = t('title');
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${fallbackStyle}</style></head>`,
    `<body><main class="tl-fallback"><h1>${title}</h1><p>${t('body', { seconds })}</p></main></body></html>`,
  ].join('');
}
