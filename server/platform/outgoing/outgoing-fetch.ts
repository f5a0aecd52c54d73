import { Agent, type Dispatcher, fetch as send, type RequestInit as SendInit, type Response as Answer } from 'undici';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { configuredNetwork, guardedConnector, type Network, theInternet } from '#server/platform/outgoing/network';

interface OutgoingRules {
  /**
   * Source of the address. `configured`: an administrator, for this purpose; it may be in the local network, though
   * never link-local, and redirects are followed within its origin only, since requests carry secrets. `public`: anyone
   * else; it must be on the public internet, which is checked again at every redirect, and no request carries a secret of
   * this server, except to the authorization server of a tool server, which issued it.
   */
  readonly allowed: 'configured' | 'public';
  /** Largest number of redirects that are followed. */
  readonly redirects: number;
  /** Maximum decoded bytes of a response, counted while it is read. Default: no limit here; the caller must count. */
  readonly maxBytes?: number;
  /**
   * True: only the caller's signal limits the time, for models that compute for long before they answer. Default false: a
   * response is aborted after five minutes of silence (the default of undici).
   */
  readonly mayBeSilent?: boolean;
  /** For tests. Default: the network for `allowed`. */
  readonly network?: Network;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses with which a Response must not have a body. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * Creates a `fetch` that sends requests to allowed addresses only. It is the only way to send requests from this server
 * (a test checks that). It follows redirects itself, so that each address is checked, and counts the size after
 * decompression, regardless of Content-Length. The caller's signal limits the time.
 * @returns a `fetch` that throws InvalidInputError for addresses that it does not follow and responses that it does not
 * accept
 */
export function createOutgoingFetch(rules: OutgoingRules): typeof fetch {
  const { allowed, redirects: maxRedirects, maxBytes, mayBeSilent = false, network } = rules;
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
      if (followed >= maxRedirects) throw new InvalidInputError(serverText('redirect-too-often'));
    }
  };
}

/** Unwraps an error of the connector that `fetch` has wrapped. */
function rethrow(error: unknown): never {
  if (error instanceof Error && error.cause instanceof ThroughlineError) throw error.cause;
  throw error;
}

/** One dispatcher of each kind, shared by all requests, so that connections are reused. */
const shared = new Map<boolean, Dispatcher>();
function configuredAgent(mayBeSilent: boolean): Dispatcher {
  const connect = guardedConnector(configuredNetwork);
  const agent =
    shared.get(mayBeSilent) ?? new Agent({ connect, ...(mayBeSilent && { headersTimeout: 0, bodyTimeout: 0 }) });
  shared.set(mayBeSilent, agent);
  return agent;
}

/** A redirect may require the same body to be sent again, so a body must not be a stream. */
async function toRequest(input: RequestInfo | URL, init: RequestInit): Promise<{ url: URL; init: SendInit }> {
  if (!(input instanceof Request)) return { url: new URL(input), init: init as SendInit };
  const { method, headers, signal } = input;
  const body = input.body === null ? null : await input.arrayBuffer();
  return { url: new URL(input.url), init: { method, headers: [...headers], signal, body, ...(init as SendInit) } };
}

function toResponse(answer: Answer, maxBytes: number | undefined): Response {
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers]);
  if (answer.body === null || WITHOUT_BODY.has(status)) return new Response(null, { status, statusText, headers });
  const body = answer.body as ReadableStream<Uint8Array>;
  return new Response(maxBytes === undefined ? body : body.pipeThrough(limitBytes(maxBytes)), {
    status,
    statusText,
    headers,
  });
}

/** Redirect statuses that require the same method and body again. */
const SAME_REQUEST = new Set([307, 308]);

/** A request that was answered with a redirect, and the source of its address. */
interface RedirectedRequest {
  readonly url: URL;
  readonly method: string;
  readonly allowed: 'configured' | 'public';
}

/** Returns the address if it may be requested. @throws InvalidInputError */
function checkAddress(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidInputError(serverText('address-scheme'));
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(serverText('address-with-user'));
  }
  return url;
}

/** The address to which a redirect leads. @throws InvalidInputError if it must not be followed */
export function nextAddress({ url, method, allowed }: RedirectedRequest, status: number, location: string | null): URL {
  if (location === null || !URL.canParse(location, url)) {
    throw new InvalidInputError(serverText('redirect-nowhere', { status: String(status) }));
  }
  const next = checkAddress(new URL(location, url));
  if (allowed === 'configured' && next.origin !== url.origin) {
    throw new InvalidInputError(serverText('redirect-not-followed', { origin: next.origin }));
  }
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new InvalidInputError(serverText('redirect-unencrypted', { origin: next.origin }));
  }
  if (method !== 'GET' && !SAME_REQUEST.has(status)) {
    throw new InvalidInputError(serverText('redirect-not-repeatable', { status: String(status), address: next.href }));
  }
  return next;
}

/** A stream that passes bytes on and fails with an InvalidInputError when there are more than `bytes`. */
export function limitBytes(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > bytes) throw new InvalidInputError(serverText('answer-too-large', { count: bytes }));
      controller.enqueue(chunk);
    },
  });
}
