import type { IncomingMessage, ServerResponse } from 'node:http';

/** Paths of pages of the site, as draft or published. */
const SITE_PATH = /^\/(?:preview|site)(?:\/|$)/;
/** Tags that Next writes into a page for its scripts; texts of people and models are escaped and cannot match. */
const SCRIPTS = /<script\b[^>]*>[^]*?<\/script>|<link\b[^>]*\bas="script"[^>]*>/g;

/** True for a page of the site in the frame of the preview, which runs no scripts. */
export function isFramed({ headers }: IncomingMessage, path: string): boolean {
  return headers['sec-fetch-dest'] === 'iframe' && SITE_PATH.test(path);
}

/** Sends a page without its scripts, so that the browser does not load scripts that it would block. */
export function sendWithoutScripts(request: IncomingMessage, response: ServerResponse): void {
  // The response is read here before it is sent, so it must not be compressed.
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
