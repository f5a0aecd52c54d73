import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageStatuses } from '#server/http/page-status';
import { languageAsked, speakIn } from '#scripts/lib/speak';
import { RateLimitedError } from '#server/core/errors';
import type { LanguageCode } from '#server/core/languages';
import type { Services } from '#server/services';

const globals = globalThis as typeof globalThis & {
  throughlinePageStatuses?: PageStatuses;
  /** The services of this process, which Next has started from its own copy of #server/services. */
  throughlineServices?: Promise<Pick<Services, 'limits'>>;
};
const statuses: PageStatuses = (globals.throughlinePageStatuses ??= new Map());

/** Sends the status that the page asked for while it was rendered, in place of the one that Next gives every page. */
export function sendPageStatus(response: ServerResponse, nonce: string): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...given: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...given: unknown[]) => writeHead(statuses.get(nonce) ?? status, ...given);
  response.once('close', () => statuses.delete(nonce));
}

/** A page of the site, in one of its two versions. */
const SITE_PAGE = /^\/(?:preview|site)(?:\/|$)/;
/** Tags that Next writes into a page for its scripts; what people and models write is escaped and cannot match. */
const SCRIPTS = /<script\b[^>]*>[^]*?<\/script>|<link\b[^>]*\bas="script"[^>]*>/g;

/** A page of the site in the frame of the preview, which runs no scripts. */
export function isFramed({ headers }: IncomingMessage, path: string): boolean {
  return headers['sec-fetch-dest'] === 'iframe' && SITE_PAGE.test(path);
}

/** Sends a page without its scripts, so that the browser does not load what it would then block. */
export function sendWithoutScripts(request: IncomingMessage, response: ServerResponse): void {
  // Read here before it is sent: it must not be compressed by then.
  delete request.headers['accept-encoding'];
  const chunks: Buffer[] = [];
  const end = response.end.bind(response);
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  response.flushHeaders = () => undefined;
  response.write = ((chunk: unknown, ...given: readonly unknown[]) => {
    keep(chunk);
    const done = given.find((each) => typeof each === 'function');
    if (done) process.nextTick(done);
    return true;
  }) as typeof response.write;
  response.end = ((chunk?: unknown, ...given: readonly unknown[]) => {
    keep(chunk);
    const body = Buffer.concat(chunks);
    const isPage = String(response.getHeader('content-type')).startsWith('text/html');
    if (isPage && !response.headersSent) {
      response.removeHeader('link');
      response.removeHeader('content-length');
    }
    const done = [chunk, ...given].find((each) => typeof each === 'function') as (() => void) | undefined;
    return end(isPage ? body.toString('utf8').replaceAll(SCRIPTS, '') : body, done);
  }) as typeof response.end;
}

/**
 * Counts a page that is about to be rendered against what its visitor may have, and answers 429 where that is too much:
 * Next cannot answer so, once it has begun to render.
 * @returns whether the page may be rendered
 */
export async function limitPage(request: IncomingMessage, address: string, response: ServerResponse): Promise<boolean> {
  try {
    const services = await globals.throughlineServices;
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
