import type { IncomingMessage, ServerResponse } from 'node:http';
import { languageAsked, speakIn } from '#scripts/lib/speak';
import { RateLimitedError } from '#server/core/errors';
import type { LanguageCode } from '#server/core/languages';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Pick<Services, 'limits'>> };

/**
 * Counts a page that is about to be rendered against what its visitor may have, and answers 429 where that is too much:
 * Next cannot answer so, once it has begun to render.
 * @returns whether the page may be rendered
 */
export async function limitPage(request: IncomingMessage, address: string, response: ServerResponse): Promise<boolean> {
  try {
    const services = await container.throughlineServices;
    await services?.limits.page(address);
  } catch (error) {
    // Any other fault is told by the page itself.
    if (!(error instanceof RateLimitedError)) return true;
    const { retryAfterSeconds } = error;
    // Whoever asks too much is not looked up.
    const language = languageAsked(request);
    const text = await speakIn(language, () => pageText(language, retryAfterSeconds));
    response
      .writeHead(429, { 'content-type': 'text/html; charset=utf-8', 'retry-after': String(retryAfterSeconds) })
      .end(text);
    return false;
  }
  return true;
}

/** A plain page with nothing in it that came with the request. Its words are loaded when they are first needed. */
async function pageText(language: LanguageCode, seconds: number): Promise<string> {
  const [{ strings }, { fallbackStyle }] = await Promise.all([
    import('#components/words'),
    import('#server/core/fallback-style'),
  ]);
  const { title, body } = strings.tooManyPages;
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${fallbackStyle}</style></head>`,
    `<body><main class="tl-fallback"><h1>${title}</h1><p>${body(seconds)}</p></main></body></html>`,
  ].join('');
}
