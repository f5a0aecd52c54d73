import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { enableCompileCache } from 'node:module';
import { type AddressInfo, createServer as createProbe, isIP, type Server as NetServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import next from 'next';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { admitForm, isForm } from '#scripts/lib/admit-form';
import { isFramed, limitPage, sendPageStatus, sendWithoutScripts } from '#scripts/lib/page-answer';
import { stopOnSignal } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { builtRouteTable } from '#scripts/lib/route-table';
import { speakAs } from '#scripts/lib/speak';
import { ADDRESS_HEADER, CLIENT_HEADER } from '#server/auth/client';
import { isLocalHost, whyNotLocal } from '#server/auth/local-access';
import type { Env } from '#server/config/env';
import { hostHeadersOf } from '#server/core/addresses';
import { MethodNotAllowedError } from '#server/core/errors';
import { once } from '#server/core/async';
import { openAIErrorBody } from '#server/http/error-response';
import { answerHeaders, type AnswerHeadersOptions } from '#server/http/page-policy';
import type { SiteLookGlobals } from '#server/public-site/site-look';

/**
 * Time an idle connection stays open; milliseconds. Longer than proxies keep theirs (nginx and load balancers: 60 s),
 * or one would send a request over a connection that we are just closing, and answer 502.
 */
const KEEP_ALIVE_MS = 65_000;

/**
 * Percent by which the heap may grow between two full garbage collections. V8's own choice is up to four times what is
 * in use: with ten busy sessions and 200 listeners 1,290 MB where this takes 630, for 6 % more processor time
 * (npm run bench:steady). The size of the young generation can only be set on the command line (--max-semi-space-size,
 * MB, see package.json): 100 streams at once took 690 to 715 MB with V8's own choice of 64, 632 with 32, and a third
 * longer with 8.
 */
const HEAP_GROWTH = 30;

/** Takes the port. Rejects with a message for a person when another process holds it. */
function listen(server: NetServer, port: number, host: string): Promise<number> {
  const command = process.env['npm_lifecycle_event'] ?? 'start';
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
        return reject(new Error(`HOST is ${host}, which is not an address of this machine.`));
      if (error.code !== 'EADDRINUSE') return reject(error);
      const advice = `Choose another one, for example: PORT=${port + 1} npm run ${command}`;
      reject(new Error(`Port ${port} is taken: another program, or Throughline itself, is running there. ${advice}`));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Rejects with a message for a person when the port is taken; a check before long work, not a reservation. */
export async function requireFreePort({ port, host }: Pick<ServeOptions, 'port' | 'host'>): Promise<void> {
  const probe = createProbe();
  await listen(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
}

/**
 * The path of an address, with its dots followed and decoded, as Next will do; null where it is not UTF-8, which Next
 * answers with 500.
 */
function pathOf({ url = '/' }: IncomingMessage): string | null {
  try {
    return decodeURIComponent(new URL(url.startsWith('/') ? `http://localhost${url}` : url).pathname);
  } catch {
    return null;
  }
}

function refuse(response: ServerResponse, status: number, error: { code: string | null; message: string }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

function refuseAddress(response: ServerResponse): void {
  refuse(response, 400, { code: 'invalid_input', message: 'The address is not valid UTF-8.' });
}

function refuseMethod(response: ServerResponse, path: string, allow: readonly string[]): void {
  const error = new MethodNotAllowedError(allow);
  response.setHeader('allow', allow.join(', '));
  const { code, message } = error;
  refuse(response, 405, /^\/v1(\/|$)/.test(path) ? openAIErrorBody(error).error : { code, message });
}

/** Answers 404 without a page: nobody reads it. */
function refuseAbsent(response: ServerResponse): void {
  refuse(response, 404, { code: 'not_found', message: 'There is nothing at this address.' });
}

/** For connections that were open before; new ones are not accepted any more. */
function refuseWhileStopping(response: ServerResponse): void {
  response.setHeader('connection', 'close').setHeader('retry-after', '5');
  refuse(response, 503, { code: 'stopping', message: 'The server is stopping. Try again when it is back.' });
}

/** Health checks, answered at any address: they reveal nothing. */
const WATCHED = new Set(['/api/health', '/api/ready']);

/**
 * Why a request is not served, whatever it asks for; null: it is. In local mode it has to come from this machine: pages,
 * files, streams and the API alike. With accounts we have one name, and this machine's.
 */
function whyRefused(request: IncomingMessage, path: string, { publicUrl }: ServeOptions): string | null {
  if (WATCHED.has(path)) return null;
  if (publicUrl === undefined) return warnedOnce(whyNotLocal(request));
  const { host } = request.headers;
  const isOurs = isLocalHost(host) || hostHeadersOf(publicUrl).includes(host?.toLowerCase() ?? '');
  return isOurs ? null : 'This server has another name.';
}

let hasWarned = false;

/** Tells the log of the first refusal: whoever put something in front of local mode should know. */
function warnedOnce(refusal: string | null): string | null {
  if (refusal !== null && !hasWarned) console.warn(`A request was refused with 403: ${refusal}`);
  hasWarned ||= refusal !== null;
  return refusal;
}

function forbid(response: ServerResponse, path: string, message: string): void {
  if (/^\/(api\/|v1\/|mcp$)/.test(path)) return refuse(response, 403, { code: 'forbidden', message });
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(message);
}

/**
 * Sets the headers of the answer. Next reads the nonce of its own scripts from the request, where only we may say it:
 * what a client sent under these names is overwritten or gone.
 * @returns the nonce
 */
function setHeaders(
  { headers }: IncomingMessage,
  response: ServerResponse,
  path: string,
  options: Omit<AnswerHeadersOptions, 'nonce' | 'isTab'>,
): string {
  const nonce = randomBytes(16).toString('base64');
  const isTab = headers['sec-fetch-dest'] === 'document';
  const answer = answerHeaders(path, { ...options, nonce, isTab });
  for (const [name, value] of Object.entries(answer)) response.setHeader(name, value);
  headers['content-security-policy'] = answer['content-security-policy'];
  delete headers['content-security-policy-report-only'];
  headers['x-nonce'] = nonce;
  return nonce;
}

export interface ServeOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Time left to running steps after a SIGTERM or SIGINT; milliseconds. */
  readonly shutdownLimitMs: number;
  /** Other origins whose pictures the assistant may show. */
  readonly allowedOrigins: readonly string[];
  /** Origin at which browsers reach the server when people sign in; undefined in local mode. */
  readonly publicUrl: string | undefined;
  /** Origin at which visitors reach the published site, which has that host for itself; undefined: it has none. */
  readonly siteUrl: string | undefined;
  /** A proxy of ours names the client. */
  readonly trustsProxy: boolean;
  /** Serve the sources and follow their changes (`npm run dev`); default false: the built app. */
  readonly dev?: boolean;
}

/** Reads `ServeOptions` from `env`. */
export function serveOptionsOf(env: Env): ServeOptions {
  return {
    host: env.HOST,
    port: env.PORT,
    shutdownLimitMs: env.SHUTDOWN_LIMIT_MS,
    allowedOrigins: env.ALLOWED_ORIGINS,
    publicUrl: env.AUTH_MODE === 'accounts' ? env.PUBLIC_URL : undefined,
    siteUrl: env.SITE_URL,
    trustsProxy: env.TRUST_PROXY === 'on',
  };
}

/**
 * Serves the app from this very process, so that a signal to its pid is a signal to the server (Next adds handlers of
 * its own to `next start` only). The port is taken first; requests wait until the app is ready. Resolves with the URL,
 * rejects with a message for a person.
 */
export async function serve(options: ServeOptions): Promise<string> {
  const { host, port, shutdownLimitMs, allowedOrigins, publicUrl, siteUrl, trustsProxy, dev = false } = options;
  if (!dev && !existsSync(projectPath('.next/BUILD_ID'))) throw new Error('There is no build yet. Run: npm run build');
  if (!dev) setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  // The next start of this build need not compile it again, a quarter of the work. Where nothing can be kept, it does.
  if (!dev) enableCompileCache(projectPath('.next/compiled'));
  const ready = Promise.withResolvers<(...given: Parameters<RequestListener>) => Promise<void>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void ready.promise.then((handle) => handle(request, response));
  });
  const listening = await listen(server, port, host);
  process.env['PORT'] = String(listening);
  const app = next({ dev, dir: projectPath('.'), hostname: host, port: listening, httpServer: server });
  const stopping = stopOnSignal({ server, close: () => app.close(), limitMs: shutdownLimitMs });
  await app.prepare();
  const handle = app.getRequestHandler();
  const isHttps = publicUrl?.startsWith('https:') === true;
  // In development Next asks for files of its own, by methods of its own.
  const routes = dev ? null : builtRouteTable();
  (globalThis as SiteLookGlobals).throughlineSiteLook = once(async () => {
    const { buildSiteLook, loadSiteLook } = await import('#scripts/lib/build-site-look');
    if (dev) await buildSiteLook();
    return loadSiteLook();
  });
  // Most installations have none.
  const site =
    siteUrl === undefined ? null : (await import('#scripts/lib/site-host')).createSiteHost(siteUrl, publicUrl);
  ready.resolve(async (request, response) => {
    // Before all else: whatever is below is of the app.
    if (site?.serves(request.headers.host))
      return stopping.aborted
        ? refuseWhileStopping(response)
        : site.answer(request, response, addressOfClient(request, trustsProxy));
    const path = pathOf(request);
    const nonce = setHeaders(request, response, path ?? '/', { allowedOrigins, isHttps, isDevelopment: dev });
    if (stopping.aborted) return refuseWhileStopping(response);
    const refusal = whyRefused(request, path ?? '/', options);
    if (refusal !== null) return forbid(response, path ?? '/', refusal);
    if (path === null) return refuseAddress(response);
    const { method = 'GET' } = request;
    const place = routes?.at(path);
    // Pages are read only: none has a form or an action that Next should look for, and log that it is not there.
    if (place && !place.allow.includes(method)) return refuseMethod(response, path, place.allow);
    if (place === null && method !== 'GET' && method !== 'HEAD') return refuseAbsent(response);
    const address = addressOfClient(request, trustsProxy);
    const isPage = place === null || place?.kind === 'page';
    if (isPage && publicUrl !== undefined && !(await limitPage(request, address, response))) return;
    const give = async () => {
      if (isPage) sendPageStatus(response, nonce);
      if (isPage && isFramed(request, path)) sendWithoutScripts(request, response);
      settleRequest(request, path);
      request.headers[CLIENT_HEADER] = address;
      request.headers[ADDRESS_HEADER] = request.url;
      if (isForm(request, path)) return admitForm(address, request, response, () => handle(request, response));
      await handle(request, response);
    };
    await (isPage ? speakAs(request, path, give) : give());
  });
  // What every visit begins with is loaded before the first one comes. With accounts that is the sign-in page.
  if (!dev && publicUrl === undefined) void warmUp(listening);
  return `http://localhost:${listening}`;
}

/** Asks for the desk once, as nobody; that it fails is no matter. */
async function warmUp(port: number): Promise<void> {
  try {
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    await page.body?.cancel();
  } catch {
    // It listens at another address, or is stopping.
  }
}

/** Header in which the router of Next says what the browser has of a page already. */
const ROUTER_STATE = 'next-router-state-tree';

/** Next's own page for faults; a request for it would be answered with 500. */
const FAULT_PAGE = '/_global-error';

/**
 * Takes out of a request what Next itself would break on: a router state that is none is left out, and the page is
 * given whole.
 * @param path of the address, decoded
 */
function settleRequest(request: IncomingMessage, path: string): void {
  if (path === FAULT_PAGE) request.url = '/_not-found';
  try {
    parseAndValidateFlightRouterState(request.headers[ROUTER_STATE]);
  } catch {
    delete request.headers[ROUTER_STATE];
  }
}

/**
 * Address of the client that sent a request: the other end of the connection; behind a proxy of ours the address that it
 * added last to `X-Forwarded-For` (what stands before it the client may have written), where some write the port, too.
 */
export function addressOfClient({ headers, socket }: IncomingMessage, trustsProxy: boolean): string {
  const addedLast = trustsProxy
    ? (String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim() ?? '')
    : '';
  const [, withPort, inBrackets] = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/.exec(addedLast) ?? [];
  const address = withPort ?? inBrackets ?? addedLast;
  return isIP(address) ? address : (socket.remoteAddress ?? '');
}
