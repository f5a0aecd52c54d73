import { Agent, type Dispatcher, fetch as send, type RequestInit as SendInit, type Response as Answer } from 'undici';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import { configuredNetwork, guardedConnector, type Network, theInternet } from '#server/outgoing/network';

interface OutgoingRules {
  /**
   * Source of the address. `configured`: an administrator, for this purpose; it may be in the local network, though
   * never link-local, and redirects are followed within its origin only, since requests carry secrets. `public`: anyone
   * else; it must be on the public internet, at every redirect anew, and no request carries a secret.
   */
  readonly allowed: 'configured' | 'public';
  /** Most redirects that are followed. */
  readonly redirects: number;
  /** Most bytes of an answer, decoded, as they are read. Default: who reads counts. */
  readonly maxBytes?: number;
  /** An answer may take as long as the caller's signal allows. Default false: it ends at five minutes of silence. */
  readonly mayBeSilent?: boolean;
  /** For tests. Default: the one of `allowed`. */
  readonly network?: Network;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses that may have no body. */
const NO_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * The only way out of this server: nothing else sends a request (a test looks). Redirects are followed by hand, so that
 * each address is looked at; the size is counted after decompression, whatever Content-Length says. The caller's signal
 * limits the time.
 * @returns a `fetch` that throws InvalidInputError for what it does not follow or take in
 */
export function createOutgoingFetch(rules: OutgoingRules): typeof fetch {
  const { allowed, redirects: most, maxBytes, mayBeSilent = false, network } = rules;
  const dispatcher =
    allowed === 'configured' && !network
      ? configuredAgent(mayBeSilent)
      : new Agent({ connect: guardedConnector(network ?? theInternet) });
  return async (input, init = {}) => {
    const request = await toRequest(input, init);
    let url = checkAddress(request.url);
    for (let followed = 0; ; followed += 1) {
      const answer = await send(url, { ...request.init, redirect: 'manual', dispatcher }).catch(rethrow);
      if (!REDIRECTS.has(answer.status)) return toResponse(answer, maxBytes);
      await answer.body?.cancel();
      const from = { url, method: request.init.method ?? 'GET', allowed };
      url = nextAddress(from, answer.status, answer.headers.get('location'));
      if (followed >= most) throw new InvalidInputError('The server redirects too often.');
    }
  };
}

/** Unwraps an error of the connector, which `fetch` wraps. */
function rethrow(error: unknown): never {
  if (error instanceof Error && error.cause instanceof ThroughlineError) throw error.cause;
  throw error;
}

/** One of each kind for all: connections are kept for the next request. */
const shared = new Map<boolean, Dispatcher>();
function configuredAgent(mayBeSilent: boolean): Dispatcher {
  const connect = guardedConnector(configuredNetwork);
  const agent =
    shared.get(mayBeSilent) ?? new Agent({ connect, ...(mayBeSilent && { headersTimeout: 0, bodyTimeout: 0 }) });
  shared.set(mayBeSilent, agent);
  return agent;
}

/** A body is sent again as it is where a redirect asks for it: none may be a stream. */
async function toRequest(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<{ url: URL; init: SendInit }> {
  if (!(input instanceof Request)) return { url: new URL(input), init: init as SendInit };
  const { method, headers, signal } = input;
  const body = input.body === null ? null : await input.arrayBuffer();
  return { url: new URL(input.url), init: { method, headers: [...headers], signal, body, ...(init as SendInit) } };
}

function toResponse(answer: Answer, maxBytes: number | undefined): Response {
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers]);
  if (answer.body === null || NO_BODY.has(status)) return new Response(null, { status, statusText, headers });
  const body = answer.body as ReadableStream<Uint8Array>;
  return new Response(maxBytes === undefined ? body : body.pipeThrough(atMost(maxBytes)), {
    status,
    statusText,
    headers,
  });
}

/** Statuses that ask for the same request again. */
const SAME_REQUEST = new Set([307, 308]);

/** A request, and the source of its address. */
interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly allowed: 'configured' | 'public';
}

/** @throws InvalidInputError */
function checkAddress(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidInputError('An address must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('An address must not contain a user name or password.');
  }
  return url;
}

/** Target of a redirect. @throws InvalidInputError where it is not followed */
export function nextAddress({ url, method, allowed }: Asked, status: number, location: string | null): URL {
  if (location === null || !URL.canParse(location, url)) {
    throw new InvalidInputError(`The server redirects to nowhere (${status}).`);
  }
  const next = checkAddress(new URL(location, url));
  if (allowed === 'configured' && next.origin !== url.origin) {
    throw new InvalidInputError(
      `The server redirects to ${next.origin}, which is not followed. Set that address if it is right.`,
    );
  }
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new InvalidInputError(`The server redirects to ${next.origin}, which is not encrypted.`);
  }
  if (method !== 'GET' && !SAME_REQUEST.has(status)) {
    throw new InvalidInputError(`The server redirects (${status}) what must not be repeated as GET. Set ${next.href}.`);
  }
  return next;
}

/** Counts the bytes of an answer as they come, and breaks it off with an InvalidInputError where they are too many. */
export function atMost(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > bytes) throw new InvalidInputError(`The answer is above ${bytes.toLocaleString('en-US')} bytes.`);
      controller.enqueue(chunk);
    },
  });
}
