import type { ServerResponse } from 'node:http';
import { RateLimitedError } from '#server/core/errors';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Pick<Services, 'limits'>> };

/**
 * Counts a page that is about to be rendered against what its visitor may have, and answers 429 where that is too much:
 * Next cannot answer so, once it has begun to render.
 * @returns whether the page may be rendered
 */
export async function limitPage(address: string, response: ServerResponse): Promise<boolean> {
  try {
    const services = await container.throughlineServices;
    await services?.limits.page(address);
  } catch (error) {
    // Any other fault is told by the page itself.
    if (!(error instanceof RateLimitedError)) return true;
    const { retryAfterSeconds } = error;
    const text = await pageText(retryAfterSeconds);
    response
      .writeHead(429, { 'content-type': 'text/html; charset=utf-8', 'retry-after': String(retryAfterSeconds) })
      .end(text);
    return false;
  }
  return true;
}

/** A plain page with nothing in it that came with the request. Its words are loaded when they are first needed. */
async function pageText(seconds: number): Promise<string> {
  const [{ strings }, { fallbackStyle }] = await Promise.all([
    import('#components/words'),
    import('#server/core/fallback-style'),
  ]);
  const { title, body } = strings.tooManyPages;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${fallbackStyle}</style></head>`,
    `<body><main class="tl-fallback"><h1>${title}</h1><p>${body(seconds)}</p></main></body></html>`,
  ].join('');
}
