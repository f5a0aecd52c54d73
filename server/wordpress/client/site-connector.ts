import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import {
  type Asked,
  errorFromFault,
  errorFromOtherAnswer,
  faultOf,
  noPasswordBehind,
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
import { parseJson } from '#server/core/json';
import { createHider } from '#server/core/secrets';

/** How a site is reached, and with which account. */
export interface RestAccess {
  /** Address of the site, or of any of its administration pages. */
  readonly url: string;
  readonly username: string;
  /** An application password; errors and logs never contain it. */
  readonly password: string;
  /** `name:password` for the web server in front of WordPress; null, empty or absent: the web server requires none. */
  readonly proxy?: string | null | undefined;
  /** `createOutgoingFetch({ allowed: 'configured', redirects: 3 })`: an adapter does not open connections itself. */
  readonly fetch: typeof fetch;
  /** Longest wait for a whole response; an upload may take four times as long. Milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** A request to a route of the REST API, with the schema of its response. */
export interface SiteRequest<T> {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Query;
  /** An object is sent as JSON. */
  readonly body?: object | { readonly data: Uint8Array; readonly headers: Readonly<Record<string, string>> };
  readonly signal?: AbortSignal | undefined;
  /** Longest response in bytes; default: enough for a hundred pages. */
  readonly maxBytes?: number;
  readonly schema: z.ZodType<T>;
  /** For messages. */
  readonly what: string;
  readonly id?: number;
  /** Returns a result for a fault; undefined: the fault is an error. */
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
  /** PHP writes an empty list if no sign-in method exists. */
  authentication: z.unknown().optional(),
});
export type SiteIndex = z.infer<typeof indexSchema>;

/** Sends requests to one site; failures of the site are typed errors. */
export interface SiteConnector {
  readonly host: string;
  /** Sends a request to a route (`/wp/v2/pages`). */
  ask<T>(route: string, request: SiteRequest<T>): Promise<SiteAnswer<T>>;
  /** Reads an address of the site (and of no other) as a visitor. @throws NotFoundError, TooLargeError */
  visit(url: string, maxBytes: number, signal?: AbortSignal): Promise<{ data: Uint8Array; headers: Headers }>;
  /** Checks an address of the site as a visitor; redirects are followed. */
  look(url: string): Promise<{ readonly status: number }>;
  index(): Promise<SiteIndex>;
}

/** Address of the REST API of a site, and its index. */
interface FoundRoot {
  readonly root: URL;
  readonly index: SiteIndex;
}

/** Default of `timeoutMs`; milliseconds. Small hosts are slow. A choice, not measured. */
const TIMEOUT_MS = 30_000;
/**
 * Factor for the time limit of uploads, because the upload and WordPress's processing of a picture take longer. A
 * choice, not measured.
 */
const UPLOADS_TAKE = 4;
/** A hundred complete pages. Bytes. */
const MAX_ANSWER = 50_000_000;
/**
 * Attempts for a GET request. After attempt n the pause is n times `RETRY_AFTER_MS`, or what the host asks for.
 * Choices, not measured.
 */
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 200;
/**
 * Longest wait that a host may request; milliseconds. If it requests more, the request is not repeated. A choice, not
 * measured.
 */
const MAX_RETRY_WAIT_MS = 5_000;

/**
 * Header of the application password, if `Authorization` is used for the web server; the same as in the companion
 * plugin.
 */
const PASSWORD_HEADER = 'x-throughline-authorization';

/** The connection to one WordPress site as one user. Sends nothing before the first request. */
export function createSiteConnector(connection: RestAccess): SiteConnector {
  const { username, password, timeoutMs = TIMEOUT_MS } = connection;
  const site = baseAddress(connection.url);
  const { host } = new URL(site);
  const sent = Buffer.from(`${username}:${password}`).toString('base64');
  const proxy = connection.proxy || null;
  const behind = proxy === null ? null : Buffer.from(proxy).toString('base64');
  /** A web server that requires a password uses `Authorization` itself: the companion plugin reads the other header. */
  const credentials: Readonly<Record<string, string>> =
    behind === null
      ? { authorization: `Basic ${sent}` }
      : { authorization: `Basic ${behind}`, [PASSWORD_HEADER]: `Basic ${sent}` };
  const visiting: RequestInit = behind === null ? {} : { headers: { authorization: `Basic ${behind}` } };
  /** A site may repeat what it was sent, and its messages reach models and logs. */
  const secrets = proxy === null || behind === null ? [] : [proxy, proxy.slice(proxy.indexOf(':') + 1), behind];
  const hide = createHider([password, password.replaceAll(' ', ''), sent, ...secrets]);

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
    const withUncertainty = (text: ServerText) => (method === 'GET' ? text : maybeWritten(text));
    if (waitedMs !== null) {
      const text = serverText('site-has-not-answered', { host, count: waitedMs / 1_000 });
      return new SiteUnavailableError(withUncertainty(text), { details: { isLate: true } });
    }
    if (error instanceof ThroughlineError)
      return new SiteUnavailableError(serverText('site-no-connection', { host, reason: error.text }), { cause: error });
    const why = reason(error);
    // Far more often mistyped than removed.
    const text = serverText('site-unreachable', { host, reason: why, isName: why === 'ENOTFOUND' });
    return new SiteUnavailableError(withUncertainty(text), { cause: error });
  }

  /** Reads are repeated if there is no response, or one with a server error. */
  async function persistent(url: URL, init: RequestInit, limits: { maxBytes: number; timeoutMs: number }) {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = (init.method ?? 'GET') !== 'GET' || attempt === ATTEMPTS;
      let waitMs = 0;
      try {
        const answer = await exchange(url, init, limits);
        const { status, headers } = answer.response;
        if (isLast || (status < 500 && status !== 429)) return answer;
        waitMs = Number(headers.get('retry-after') ?? 0) * 1_000 || 0;
        // Maintenance mode requests ten minutes (wp_maintenance), which is too long to wait here.
        if (waitMs > MAX_RETRY_WAIT_MS) return answer;
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
        ...credentials,
        accept: 'application/json',
        ...(body !== undefined && (file?.headers ?? { 'content-type': 'application/json' })),
      },
      ...(body !== undefined && { body: file?.data ?? JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const { maxBytes = MAX_ANSWER } = request;
    const limits = { maxBytes, timeoutMs: file === undefined ? timeoutMs : timeoutMs * UPLOADS_TAKE };
    const { response, data } = await persistent(routeAddress(root, route, request.query), init, limits);
    const json = answerOf(data);
    const asked: Asked = { host, what, id: id === undefined ? '' : String(id) };
    if (!response.ok || json === undefined) {
      const fault = faultOf(hide(json));
      if (proxy !== null && response.status === 401 && fault !== undefined) throw noPasswordBehind(host);
      if (fault === undefined) throw leftOpen(errorFromOtherAnswer(response.status, asked), init, response);
      const known = onFault?.(fault);
      if (known !== undefined) return { value: known, headers: response.headers };
      throw leftOpen(errorFromFault(response.status, fault, asked), init, response);
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return { value: parsed.data, headers: response.headers };
    const problem = z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ');
    const error = new SiteUnavailableError(serverText('wordpress-unexpected-data', { host, what, reason: problem }));
    throw leftOpen(error, init, response);
  }

  const readIndex = (root: URL) =>
    send(root, '/', {
      query: { _fields: 'name,namespaces,authentication' },
      schema: indexSchema,
      what: 'REST interface',
    });

  /** With pretty permalinks or without; as a last attempt, where the start page says. */
  async function findRoot(): Promise<FoundRoot> {
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
    const { response } = await exchange(new URL(`${site}/`), visiting, { maxBytes: MAX_ANSWER, timeoutMs });
    return advertisedRoot(site, response.headers.get('link'));
  }

  let found: Promise<FoundRoot> | null = null;
  /** Not aborted by the first caller, because others may be waiting for it, too. */
  function rootOnce(): Promise<FoundRoot> {
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
      return (await exchange(ownAddress(site, address), visiting, { maxBytes: MAX_ANSWER, timeoutMs })).response;
    },
    async visit(address, maxBytes, signal) {
      const url = ownAddress(site, address);
      const { response, data } = await persistent(url, signal ? { ...visiting, signal } : visiting, {
        maxBytes,
        timeoutMs,
      });
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
 * Notes that a failed write may still have been done: a proxy answers after its time limit while WordPress continues,
 * and a plugin may fail after writing.
 */
function leftOpen(error: ThroughlineError, { method }: RequestInit, { status }: Response): ThroughlineError {
  const isAnswer = status >= 400 && status < 500;
  if (method === 'GET' || !(error instanceof SiteUnavailableError) || isAnswer) return error;
  const { cause, details } = error;
  return new SiteUnavailableError(maybeWritten(error.text), { cause, ...(details !== undefined && { details }) });
}

const maybeWritten = (text: ServerText) => serverText('site-maybe-written', { reason: text });

/** Counts the received bytes, regardless of the headers. @throws TooLargeError */
async function readAtMost(response: Response, bytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > bytes) throw new TooLargeError('answer of the site', bytes, 'bytes');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Largest number of characters of a response before its JSON, and of positions that are tried. */
const [MAX_BEFORE_JSON, MAX_BEGINNINGS] = [10_000, 50];
/**
 * Largest number of these positions that are tried with other text after the JSON: each attempt reads to the end of the
 * response. A choice, not measured.
 */
const MAX_TAILS = 10;

/** The end of the JSON object or list that begins at `begin`; null: its brackets do not match. */
function endOfJson(text: string, begin: number): number | null {
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;
  token.lastIndex = begin;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '{' || found[0] === '[') depth += 1;
    else if (found[0] === '}' || found[0] === ']') depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return null;
}

/** The start of a web page, in which JSON is part of a script. */
const WEB_PAGE = /<(?:!doctype|html|head|body)\b/i;

/** The JSON that begins at `begin`, regardless of the text after it; undefined: none that could be a response. */
function jsonFrom(text: string, begin: number): unknown {
  if (WEB_PAGE.test(text.slice(0, begin))) return undefined;
  const end = endOfJson(text, begin);
  if (end === null) return undefined;
  const value = parseJson(text.slice(begin, end));
  const first: unknown = Array.isArray(value) ? value[0] : value;
  // After other text, "[0]" or "{}" may be a part of a warning.
  const isAnswer = typeof first === 'object' && first !== null && Object.keys(first).length > 0;
  return isAnswer || text.slice(0, begin).trim() === '' ? value : undefined;
}

/**
 * The JSON of a response; undefined: it has none. Skips PHP warnings, which badly maintained sites print before their
 * data, and the comments and warnings that cache plugins and PHP add after it, because the write that they accompany
 * was done.
 */
function answerOf(data: Uint8Array): unknown {
  const text = new TextDecoder().decode(data);
  const brackets = [...text.slice(0, MAX_BEFORE_JSON).matchAll(/[[{]/g)].slice(0, MAX_BEGINNINGS);
  const places = brackets.map(({ index }) => index);
  for (const begin of [0, ...places]) {
    const value = parseJson(text.slice(begin));
    if (value !== undefined) return value;
  }
  for (const begin of places.slice(0, MAX_TAILS)) {
    const value = jsonFrom(text, begin);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** True for a network failure, which may not recur; false for a response of the site. */
function isConnectionFault(cause: unknown): boolean {
  return cause !== undefined && !(cause instanceof ThroughlineError);
}

/** True if the REST API may still be at another address of the site. */
function isWrongAddress(error: unknown): error is SiteUnavailableError {
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status } = (error.details ?? {}) as { status?: number };
  return status !== undefined && (status === 404 || status < 400);
}

/** Short reason for a failed connection: `ECONNREFUSED`. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return 'no connection';
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
