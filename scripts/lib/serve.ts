import { listen } from '#scripts/lib/listen';
import { addressOfClient } from '#scripts/lib/client-address';
import {
  forbid,
  refuseAbsent,
  refuseAddress,
  refuseMethod,
  refuseWhileStopping,
  whyRefused,
} from '#scripts/lib/refusals';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import next from 'next';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { admitForm, isForm } from '#scripts/lib/admit-form';
import { isFramed, sendWithoutScripts } from '#scripts/lib/framed-page';
import { limitPage } from '#scripts/lib/limit-page';
import { sendPageStatus } from '#scripts/lib/page-status';
import { stopOnSignal } from '#scripts/lib/stop-on-signal';
import { projectPath } from '#scripts/lib/project';
import { inLanguageOfUser } from '#scripts/lib/request-language';
import { builtRouteTable } from '#scripts/lib/route-table';
import { ADDRESS_HEADER, CLIENT_HEADER } from '#server/platform/auth/trusted-headers';
import type { Env } from '#server/platform/config/env';
import { once } from '#server/core/async';
import { securityHeaders, type SecurityHeadersOptions } from '#server/http/security-headers';
import type { SiteThemeGlobals } from '#server/site/public/site-theme';

/**
 * Time an idle connection stays open; milliseconds. Longer than in proxies (nginx and load balancers: 60 s): otherwise
 * a proxy would send a request over a connection that we are just closing, and answer 502.
 */
const KEEP_ALIVE_MS = 65_000;

/**
 * Percent by which the heap may grow between two full garbage collections. V8's own choice is up to four times the used
 * memory: with ten busy sessions and 200 listeners it took 1,290 MB, this setting 630, for 6 % more processor time (npm
 * run bench:steady). The size of the young generation can only be set on the command line (--max-semi-space-size, MB,
 * see package.json): 100 streams in parallel took 690 to 715 MB with V8's own choice of 64, 632 with 32, and a third
 * longer with 8.
 */
const HEAP_GROWTH = 30;

/**
 * The path of an address, with dot segments resolved and decoded, as Next will do; null if it is not UTF-8, which Next
 * answers with 500.
 */
function pathOf({ url = '/' }: IncomingMessage): string | null {
  try {
    return decodeURIComponent(new URL(url.startsWith('/') ? `http://localhost${url}` : url).pathname);
  } catch {
    return null;
  }
}

/**
 * Sets the response headers. Next reads the nonce for its scripts from the request headers, where only this server may
 * set it: values that a client sent under these names are overwritten or removed.
 * @returns the nonce
 */
function setHeaders(
  { headers }: IncomingMessage,
  response: ServerResponse,
  path: string,
  options: Omit<SecurityHeadersOptions, 'nonce' | 'isTab'>,
): string {
  const nonce = randomBytes(16).toString('base64');
  const isTab = headers['sec-fetch-dest'] === 'document';
  const answer = securityHeaders(path, { ...options, nonce, isTab });
  for (const [name, value] of Object.entries(answer)) response.setHeader(name, value);
  headers['content-security-policy'] = answer['content-security-policy'];
  delete headers['content-security-policy-report-only'];
  headers['x-nonce'] = nonce;
  return nonce;
}

/** How the server is run. */
export interface ServeOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Time left to running steps after a SIGTERM or SIGINT; milliseconds. */
  readonly shutdownLimitMs: number;
  /** Other origins whose pictures the assistant may show. */
  readonly allowedOrigins: readonly string[];
  /** Origin at which browsers reach the server if people sign in; undefined in local mode. */
  readonly publicUrl: string | undefined;
  /**
   * Origin at which visitors reach the published site, which then has a host to itself; undefined: no separate host.
   */
  readonly siteUrl: string | undefined;
  /** A trusted proxy passes on the client's address. */
  readonly trustsProxy: boolean;
  /** Serve the sources and reload on changes (`npm run dev`); default false: the built app. */
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
 * Creates the HTTP server. The only connection upgrade it accepts is Next's own WebSocket in development: any other is
 * ignored and its request answered as usual (RFC 9110, section 7.8). Next would close the connection of an unknown
 * upgrade; Java's HTTP client asks for `h2c` with every request, `curl --http2` too.
 */
export function createAppServer(dev: boolean, onRequest: RequestListener): Server {
  const isOwn = ({ headers }: IncomingMessage) => dev && headers.upgrade?.toLowerCase() === 'websocket';
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS, shouldUpgradeCallback: isOwn }, onRequest);
}

/**
 * Serves the app from this process, so that a signal to its pid is a signal to the server (Next adds signal handlers
 * only to `next start`). The port is bound first; requests wait until the app is ready. Resolves with the URL, rejects
 * with a message for people.
 */
export async function serve(options: ServeOptions): Promise<string> {
  const { host, port, shutdownLimitMs, allowedOrigins, publicUrl, siteUrl, trustsProxy, dev = false } = options;
  if (!dev && !existsSync(projectPath('.next/BUILD_ID'))) throw new Error('There is no build yet. Run: npm run build');
  if (!dev) setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  // Saves the next start of this build the compilation, a quarter of the work. If nothing can be stored, the next start
  // compiles again.
  if (!dev) enableCompileCache(projectPath('.next/compiled'));
  const ready = Promise.withResolvers<(...given: Parameters<RequestListener>) => Promise<void>>();
  const server = createAppServer(dev, (request, response) => {
    void ready.promise.then((handle) => handle(request, response));
  });
  const listening = await listen(server, port, host);
  process.env['PORT'] = String(listening);
  const app = next({ dev, dir: projectPath('.'), hostname: host, port: listening, httpServer: server });
  const stopping = stopOnSignal({ server, close: () => app.close(), limitMs: shutdownLimitMs });
  await app.prepare();
  const handle = app.getRequestHandler();
  const isHttps = publicUrl?.startsWith('https:') === true;
  // In development Next requests its own files with its own methods.
  const routes = dev ? null : builtRouteTable();
  (globalThis as SiteThemeGlobals).throughlineSiteTheme = once(async () => {
    const { buildSiteTheme, loadSiteTheme } = await import('#scripts/lib/build-site-theme');
    if (dev) await buildSiteTheme();
    return loadSiteTheme();
  });
  // Most installations have no separate host.
  const site =
    siteUrl === undefined ? null : (await import('#scripts/lib/site-host')).createSiteHost(siteUrl, publicUrl);
  ready.resolve(async (request, response) => {
    // Checked first: everything below belongs to the app.
    if (site?.serves(request.headers.host))
      return stopping.aborted
        ? refuseWhileStopping(response)
        : site.answer(request, response, addressOfClient(request, trustsProxy));
    const path = pathOf(request);
    const nonce = setHeaders(request, response, path ?? '/', { allowedOrigins, isHttps, isDevelopment: dev });
    if (stopping.aborted) return refuseWhileStopping(response);
    const refusal = whyRefused(request, path ?? '/', publicUrl);
    if (refusal !== null) return forbid(response, path ?? '/', refusal);
    if (path === null) return refuseAddress(response);
    const { method = 'GET' } = request;
    const found = routes?.at(path);
    // Pages are read-only: none has a form or an action that Next should look for and log as missing.
    if (found && !found.allow.includes(method)) return refuseMethod(response, path, found.allow);
    if (found === null && method !== 'GET' && method !== 'HEAD') return refuseAbsent(response);
    const address = addressOfClient(request, trustsProxy);
    const isPage = found === null || found?.kind === 'page';
    if (isPage && publicUrl !== undefined && !(await limitPage(request, address, response))) return;
    const answer = async () => {
      if (isPage) sendPageStatus(response, nonce);
      if (isPage && isFramed(request, path)) sendWithoutScripts(request, response);
      removeInvalid(request, path);
      request.headers[CLIENT_HEADER] = address;
      request.headers[ADDRESS_HEADER] = request.url;
      if (isForm(request, path)) return admitForm(address, request, response, () => handle(request, response));
      await handle(request, response);
    };
    await (isPage ? inLanguageOfUser(request, path, answer) : answer());
  });
  // Loads the code that every visit needs before the first one arrives. With accounts that is the sign-in page.
  if (!dev && publicUrl === undefined) void warmUp(listening);
  return `http://localhost:${listening}`;
}

/** Requests the workspace once, unauthenticated; failures are ignored. */
async function warmUp(port: number): Promise<void> {
  try {
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    await page.body?.cancel();
  } catch {
    // The server listens at another address, or is stopping.
  }
}

/** Header in which Next's router lists the parts of a page that the browser already has. */
const ROUTER_STATE = 'next-router-state-tree';

/** Next's own error page; a request for it would be answered with 500. */
const FAULT_PAGE = '/_global-error';

/**
 * Removes from a request what would make Next fail: an invalid router state is dropped, and the page is sent whole.
 * @param path of the address, decoded
 */
function removeInvalid(request: IncomingMessage, path: string): void {
  if (path === FAULT_PAGE) request.url = '/_not-found';
  try {
    parseAndValidateFlightRouterState(request.headers[ROUTER_STATE]);
  } catch {
    delete request.headers[ROUTER_STATE];
  }
}
