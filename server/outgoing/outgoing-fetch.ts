import {
  Agent,
  buildConnector,
  type Dispatcher,
  fetch as send,
  type RequestInit as SendInit,
  type Response as Answer,
} from 'undici';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import { percentDecoded } from '#server/core/addresses';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as openSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';

/** Name lookup, and the addresses that may be reached. */
export interface Network {
  /** All addresses of a name. */
  resolve(this: void, name: string): Promise<readonly string[]>;
  isAllowed(this: void, address: string, port: number): boolean;
  /** Kind of address that may be reached, for the error about another one. Default: a public web server. */
  readonly allowed?: string;
}

/** Ports of web servers; behind another one may be anything. */
const PORTS = new Set([80, 443, 8080, 8443]);

const addressesOf = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address);

/** For addresses that a user, a model or a page gave. */
export const theInternet: Network = {
  resolve: (name) => addressesOf(name).catch(() => []),
  isAllowed: (address, port) => isPublicAddress(address) && PORTS.has(port),
};

/**
 * For addresses that an administrator configured: this machine and its network too, at any port, but nothing
 * link-local, where clouds keep the credentials of a machine.
 */
export const configuredNetwork: Network = {
  resolve: addressesOf,
  isAllowed: (address) => !isLinkLocalAddress(address),
  allowed: 'one that may be configured: it is link-local, where cloud providers keep the credentials of a machine',
};

/**
 * Opens connections to allowed addresses only. A name is looked up here, once: the connection goes to an address that was
 * looked at, so that it does not matter what the name's server answers the next time (DNS rebinding). One forbidden
 * address among several refuses the name.
 */
function guardedConnector(network: Network): buildConnector.connector {
  const find = callbackify((host: string, port: number) => lookupOf(network, host, port));
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    find(hostname.replace(/^\[(.*)\]$/, '$1'), port, (error, found) => {
      if (error) return callback(error, null);
      // A certificate is still compared with the name.
      buildConnector({ lookup: found })(options, callback);
    });
  };
}

/**
 * Makes what opens connections of other protocols (mail) by the same rules.
 * @returns takes milliseconds that a connection may take; its errors say what is wrong with the address
 */
export function guardedSocket(network: Network) {
  return async (host: string, port: number, timeoutMs: number): Promise<Socket> => {
    const socket = openSocket({ host, port, lookup: await lookupOf(network, host, port) });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('It does not answer in time.')));
    await once(socket, 'connect');
    return socket.setTimeout(0);
  };
}

/** @throws InvalidInputError where one of the addresses of the host is not allowed */
async function lookupOf({ resolve, isAllowed, allowed }: Network, host: string, port: number): Promise<LookupFunction> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new InvalidInputError(`The name ${host} cannot be found.`);
  if (!addresses.every((address) => isAllowed(address, port))) {
    const expected = allowed ?? 'one of a web server on the public internet';
    throw new InvalidInputError(`The address ${host}:${port} is not ${expected}.`);
  }
  // Of several addresses Node.js takes the first that answers.
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, found) => (all ? found(null, known) : found(null, known[0]!.address, known[0]!.family));
}

/** Everything that is routed on the internet and no transition form of an address inside (6to4, Teredo, NAT64). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's metadata lies on an address that counts as public. */
const INSIDE_A_CLOUD = new Set(['168.63.129.16']);

/**
 * Tells whether an IP address is on the public internet: not of this machine, its network, a carrier's or a cloud's
 * internal network, not multicast or reserved. An IPv4 address within an IPv6 one counts as that address.
 * @param address in any spelling that Node.js gives; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || INSIDE_A_CLOUD.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Metadata services that are not link-local: AWS and Google over IPv6, Alibaba; Azure's is above. */
const METADATA = new Set([...INSIDE_A_CLOUD, 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200']);
/** IPv6 ranges whose addresses end in the IPv4 address that they lead to: compatible, translated (SIIT), NAT64. */
const EMBEDDING_IPV4 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((range) =>
  ipaddr.parseCIDR(range),
);
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/**
 * Tells whether an IP address is link-local (169.254.0.0/16, fe80::/10) or the metadata service of a cloud, which hands
 * out this machine's credentials. IPv4 addresses count in each of their IPv6 forms.
 * @param address in any spelling that Node.js gives
 */
export function isLinkLocalAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'linkLocal' || METADATA.has(parsed.toString())) return true;
  if (parsed.kind() === 'ipv4') return false;
  const bytes = parsed.toByteArray();
  const ipv4 = parsed.match(SIX_TO_FOUR)
    ? bytes.slice(2, 6)
    : EMBEDDING_IPV4.some((range) => parsed.match(range)) && bytes.slice(-4);
  return ipv4 !== false && isLinkLocalAddress(ipv4.join('.'));
}

/** Names that no public server has. */
const INSIDE = /(^|\.)(localhost|local|internal|lan|home\.arpa|test)$/;

/** A name without a dot is one of the network here; any other one counts as public, and so does an address that is. */
export function isPublicName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return host.includes('.') && !INSIDE.test(host);
}

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

interface DownloadLimits {
  readonly maxBytes: number;
  /** Media type that the response must declare, up to its slash: `image/`. Its bytes are checked by the caller. */
  readonly mediaType: string;
  /** For all of it, redirects included; milliseconds. */
  readonly timeoutMs: number;
}

interface Download {
  readonly data: Uint8Array;
  /** Last part of the address that it was asked for; may be empty. */
  readonly filename: string;
}

const MOST_REDIRECTS = 5;

/**
 * Makes what fetches a file from an address that a user, a model or a page gave.
 * @param network for tests; default: the internet
 */
export function createDownload(network?: Network) {
  /** @throws InvalidInputError that says what is wrong with the address, or with what it answers */
  return async (address: string, limits: DownloadLimits, signal?: AbortSignal): Promise<Download> => {
    const { maxBytes, mediaType, timeoutMs } = limits;
    if (!URL.canParse(address)) throw new InvalidInputError('This is not an address. It must begin with https://.');
    const get = createOutgoingFetch({
      allowed: 'public',
      redirects: MOST_REDIRECTS,
      maxBytes,
      ...(network && { network }),
    });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await get(address, {
        headers: { accept: `${mediaType}*` },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const type = response.headers.get('content-type') ?? '';
      const problem = !response.ok
        ? `answers with an error (${response.status})`
        : type.startsWith(mediaType)
          ? null
          : 'does not answer with such a file';
      if (problem !== null) {
        await response.body?.cancel();
        throw new InvalidInputError(`${new URL(address).host} ${problem}.`);
      }
      return { data: new Uint8Array(await response.arrayBuffer()), filename: lastPart(address) };
    } catch (error) {
      if (error instanceof ThroughlineError || signal?.aborted) throw error;
      const why = timeout.aborted ? 'does not answer in time' : 'cannot be reached';
      throw new InvalidInputError(`${new URL(address).host} ${why}.`, { cause: error });
    }
  };
}

function lastPart(address: string): string {
  return percentDecoded(new URL(address).pathname.split('/').at(-1) ?? '');
}
