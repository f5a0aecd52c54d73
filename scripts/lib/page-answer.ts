import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageStatuses } from '#server/http/page-status';

const container = globalThis as typeof globalThis & { throughlinePageStatuses?: PageStatuses };
const statuses: PageStatuses = (container.throughlinePageStatuses ??= new Map());

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
