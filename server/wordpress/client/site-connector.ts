import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  type Asked,
  errorFromFault,
  errorFromOtherAnswer,
  faultOf,
  type WordPressFault,
} from '#server/wordpress/client/wordpress-errors';
import {
  advertisedRoot,
  baseAddress,
  ownAddress,
  type Query,
  routeAddress,
  usualRoots,
} from '#server/wordpress/client/site-addresses';
import { NotFoundError, SiteUnavailableError, ThroughlineError, TooLargeError } from '#server/core/errors';
import { createHider } from '#server/core/secrets';

export interface RestAccess {
  /** Address of the site, or of any page of its administration. */
  readonly url: string;
  readonly username: string;
  /** An application password; it goes into no error and no log. */
  readonly password: string;
  /** `createOutgoingFetch({ allowed: 'configured', redirects: 3 })`: an adapter opens no connections by itself. */
  readonly fetch: typeof fetch;
  /** Longest wait for an answer as a whole; an upload may take four times as long. Milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

export interface SiteRequest<T> {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Query;
  /** An object is sent as JSON. */
  readonly body?: object | { readonly data: Uint8Array; readonly headers: Readonly<Record<string, string>> };
  readonly signal?: AbortSignal | undefined;
  /** Longest answer; default: what a hundred pages may take. */
  readonly maxBytes?: number;
  readonly schema: z.ZodType<T>;
  /** For messages. */
  readonly what: string;
  readonly id?: number;
  /** Undefined: it is an error. */
  readonly onFault?: (fault: WordPressFault) => T | undefined;
}

interface SiteAnswer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** Index of the REST API. */
const indexSchema = z.object({
  name: z.string().default(''),
  namespaces: z.array(z.string()),
  /** PHP writes an empty list where there is no way to sign in. */
  authentication: z.unknown().optional(),
});
export type SiteIndex = z.infer<typeof indexSchema>;

export interface SiteConnector {
  readonly host: string;
  /** Asks a route (`/wp/v2/pages`). */
  ask<T>(route: string, request: SiteRequest<T>): Promise<SiteAnswer<T>>;
  /** Reads an address of the site (and no other) as a visitor. @throws NotFoundError, TooLargeError */
  visit(url: string, maxBytes: number, signal?: AbortSignal): Promise<{ data: Uint8Array; headers: Headers }>;
  /** Looks at an address of the site as a visitor; what leads on is followed. */
  look(url: string): Promise<Pick<Response, 'status'>>;
  index(): Promise<SiteIndex>;
}

const UNKNOWN = ' It may have been written all the same: check before you repeat it.';

const TIMEOUT_MS = 30_000;
/** An upload takes its time, and so does what WordPress makes of a picture. */
const UPLOADS_TAKE = 4;
/** A hundred pages with all that they hold. Bytes. */
const MAX_ANSWER = 50_000_000;
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 200;
/** Longest wait that a host which limits requests may ask for; milliseconds. */
const MAX_RETRY_WAIT_MS = 20_000;

/** The way to one WordPress site as one user. Nothing is asked before the first request. */
export function createSiteConnector(connection: RestAccess): SiteConnector {
  const { username, password, timeoutMs = TIMEOUT_MS } = connection;
  const site = baseAddress(connection.url);
  const { host } = new URL(site);
  const sent = Buffer.from(`${username}:${password}`).toString('base64');
  const authorization = `Basic ${sent}`;
  /** A site may repeat what it was sent, and what it says goes to models and into logs. */
  const hide = createHider([password, password.replaceAll(' ', ''), sent]);

  /** One exchange, the whole body included. */
  async function exchange(url: URL, init: RequestInit, limits: { maxBytes: number; timeoutMs: number }) {
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const response = await connection.fetch(url, { ...init, signal });
      return { response, data: await readAtMost(response, limits.maxBytes) };
    } catch (error) {
      init.signal?.throwIfAborted();
      throw unreachable(error, init.method ?? 'GET', timeout.aborted ? limits.timeoutMs : null);
    }
  }

  function unreachable(error: unknown, method: string, waitedMs: number | null): ThroughlineError {
    if (error instanceof TooLargeError) return error;
    const unknown = method === 'GET' ? '' : UNKNOWN;
    if (waitedMs !== null) {
      return new SiteUnavailableError(`${host} has not answered within ${waitedMs / 1_000} seconds.${unknown}`, {
        details: { isLate: true },
      });
    }
    if (error instanceof ThroughlineError)
      return new SiteUnavailableError(`${host}: ${error.message}`, { cause: error });
    const why = reason(error);
    // Far more often mistyped than gone.
    const hint = why === 'ENOTFOUND' ? ' There is no such host name. Check the address.' : '';
    return new SiteUnavailableError(`${host} cannot be reached (${why}).${hint}${unknown}`, { cause: error });
  }

  /** Reads are tried again where nothing, or a server in trouble, answers. */
  async function persistent(url: URL, init: RequestInit, limits: { maxBytes: number; timeoutMs: number }) {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = (init.method ?? 'GET') !== 'GET' || attempt === ATTEMPTS;
      let waitMs = 0;
      try {
        const answer = await exchange(url, init, limits);
        const { status, headers } = answer.response;
        if (isLast || (status < 500 && status !== 429)) return answer;
        waitMs = Math.min(Number(headers.get('retry-after') ?? 0) * 1_000 || 0, MAX_RETRY_WAIT_MS);
      } catch (error) {
        const isWorthIt = error instanceof SiteUnavailableError && isConnectionFault(error.cause);
        if (isLast || !isWorthIt) throw error;
      }
      await delay(Math.max(waitMs, RETRY_AFTER_MS * attempt), undefined, { signal: init.signal ?? undefined });
    }
  }

  async function send<T>(root: URL, route: string, request: SiteRequest<T>): Promise<SiteAnswer<T>> {
    const { body, signal, what, id, schema, onFault } = request;
    const isFile = body !== undefined && 'data' in body && body.data instanceof Uint8Array;
    const file = isFile ? (body as { data: Uint8Array<ArrayBuffer>; headers: Record<string, string> }) : undefined;
    const init: RequestInit = {
      method: request.method ?? 'GET',
      headers: {
        authorization,
        accept: 'application/json',
        ...(body !== undefined && (file?.headers ?? { 'content-type': 'application/json' })),
      },
      ...(body !== undefined && { body: file?.data ?? JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const { maxBytes = MAX_ANSWER } = request;
    const limits = { maxBytes, timeoutMs: file === undefined ? timeoutMs : timeoutMs * UPLOADS_TAKE };
    const { response, data } = await persistent(routeAddress(root, route, request.query), init, limits);
    const json = parseJson(data);
    const asked: Asked = { host, what, id: id === undefined ? '' : String(id) };
    if (!response.ok || json === undefined) {
      const fault = faultOf(hide(json));
      if (fault === undefined) throw leftOpen(errorFromOtherAnswer(response.status, asked), init, response);
      const known = onFault?.(fault);
      if (known !== undefined) return { value: known, headers: response.headers };
      throw leftOpen(errorFromFault(response.status, fault, asked), init, response);
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return { value: parsed.data, headers: response.headers };
    const problem = z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
    const error = new SiteUnavailableError(
      `WordPress at ${host} sends unexpected data (${what}: ${problem}). A plugin may change its responses.`,
    );
    throw leftOpen(error, init, response);
  }

  const readIndex = (root: URL) =>
    send(root, '/', {
      query: { _fields: 'name,namespaces,authentication' },
      schema: indexSchema,
      what: 'REST interface',
    });

  /** With pretty permalinks or without; last, where the start page says it is. */
  async function findRoot(): Promise<{ root: URL; index: SiteIndex }> {
    let first: SiteUnavailableError | undefined;
    for (const candidate of [...usualRoots(site), null]) {
      try {
        const root = candidate ?? (await advertised());
        if (root === null) continue;
        const { value } = await readIndex(root);
        if (value.namespaces.includes('wp/v2')) return { root, index: value };
      } catch (error) {
        if (!isWrongAddress(error)) throw error;
        first ??= error;
      }
    }
    throw first ?? errorFromOtherAnswer(404, { host });
  }

  async function advertised(): Promise<URL | null> {
    const { response } = await exchange(new URL(`${site}/`), {}, { maxBytes: MAX_ANSWER, timeoutMs });
    return advertisedRoot(site, response.headers.get('link'));
  }

  let found: ReturnType<typeof findRoot> | null = null;
  /** Not ended by who asks first: others may wait for it too. */
  function rootOnce(): ReturnType<typeof findRoot> {
    if (found !== null) return found;
    const finding = findRoot();
    finding.catch(() => (found = null));
    return (found = finding);
  }

  return {
    host,
    async ask(route, request) {
      const { root } = await rootOnce();
      return send(root, route, request);
    },
    async look(address) {
      return (await exchange(ownAddress(site, address), {}, { maxBytes: MAX_ANSWER, timeoutMs })).response;
    },
    async visit(address, maxBytes, signal) {
      const url = ownAddress(site, address);
      const { response, data } = await persistent(url, signal ? { signal } : {}, { maxBytes, timeoutMs });
      const { ok, status } = response;
      if (status === 404 || status === 410) throw new NotFoundError('file of the site', address);
      if (!ok) throw errorFromOtherAnswer(status, { host });
      return { data, headers: response.headers };
    },
    async index() {
      const { index } = await rootOnce();
      return index;
    },
  };
}

/**
 * Says of a write that it may have been done all the same: a proxy that has waited for long enough answers while
 * WordPress goes on, and a plugin may break once it has written.
 */
function leftOpen(error: ThroughlineError, { method }: RequestInit, { status }: Response): ThroughlineError {
  const isAnswer = status >= 400 && status < 500;
  if (method !== 'GET' && error instanceof SiteUnavailableError && !isAnswer) error.message += UNKNOWN;
  return error;
}

/** Counts what comes, whatever its headers say. @throws TooLargeError */
async function readAtMost(response: Response, bytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > bytes) throw new TooLargeError('The answer of the site', bytes, 'bytes');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Most characters of an answer before its JSON, and most places that are tried. */
const [MAX_BEFORE_JSON, MAX_BEGINNINGS] = [10_000, 50];

/**
 * Undefined: it is none. Warnings of PHP, which badly kept sites print before their data, are passed over: the write that
 * they come with was done.
 */
function parseJson(data: Uint8Array): unknown {
  const text = new TextDecoder().decode(data);
  const brackets = [...text.slice(0, MAX_BEFORE_JSON).matchAll(/[[{]/g)].slice(0, MAX_BEGINNINGS);
  for (const begin of [0, ...brackets.map(({ index }) => index)]) {
    try {
      return JSON.parse(text.slice(begin)) as unknown;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** True for a failure of the network, which may work the next time; false for an answer of the site. */
function isConnectionFault(cause: unknown): boolean {
  return cause !== undefined && !(cause instanceof ThroughlineError);
}

/** Tells whether the REST API may still be at another address of the site. */
function isWrongAddress(error: unknown): error is SiteUnavailableError {
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status } = (error.details ?? {}) as { status?: number };
  return status !== undefined && (status === 404 || status < 400);
}

/** A word or two about a connection that failed: `ECONNREFUSED`. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return 'no connection';
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
