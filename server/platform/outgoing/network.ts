import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { connect as openSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { isLinkLocalAddress, isPublicAddress } from '#server/platform/outgoing/public-addresses';

/** A rule for outgoing connections: how names are looked up, and which addresses may be reached. */
export interface Network {
  /** Looks up all IP addresses of a name; empty if there are none. */
  resolve(this: void, name: string): Promise<readonly string[]>;
  /** Returns whether a connection to this IP address and port is allowed. */
  isAllowed(this: void, address: string, port: number): boolean;
  /** End of the error message "The address … is not …". Default: a public web server. */
  readonly allowed?: string;
}

/** Ports of web servers. Any other service may listen on other ports, so they are not allowed. */
const WEB_PORTS = new Set([80, 443, 8080, 8443]);

const addressesOf = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address);

/** The rule for addresses that a user, a model or a page supplied: only web servers on the public internet. */
export const theInternet: Network = {
  resolve: (name) => addressesOf(name).catch(() => []),
  isAllowed: (address, port) => isPublicAddress(address) && WEB_PORTS.has(port),
};

/**
 * The rule for addresses that an administrator configured: also this machine and its network, at any port, but no
 * link-local addresses, at which cloud providers hand out the credentials of a machine.
 */
export const configuredNetwork: Network = {
  resolve: addressesOf,
  isAllowed: (address) => !isLinkLocalAddress(address),
  allowed: 'one that may be configured: it is link-local, where cloud providers keep the credentials of a machine',
};

/**
 * Creates a connector for undici's `fetch` that connects to allowed addresses only. A name is looked up here, once, and the connection goes to an address
 * that was checked, so a different DNS answer the next time has no effect (DNS rebinding). One forbidden address among
 * several refuses the name.
 */
export function guardedConnector(network: Network): buildConnector.connector {
  const find = callbackify((host: string, port: number) => lookupOf(network, host, port));
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    find(hostname.replace(/^\[(.*)\]$/, '$1'), port, (error, found) => {
      if (error) return callback(error, null);
      // The certificate is still checked against the name.
      buildConnector({ lookup: found })(options, callback);
    });
  };
}

/**
 * Creates a function that opens connections of other protocols (mail) under the same rules.
 * @returns a function that takes the time limit of a connection in milliseconds; its errors name the problem with the
 * address
 */
export function guardedSocket(network: Network) {
  return async (host: string, port: number, timeoutMs: number): Promise<Socket> => {
    const socket = openSocket({ host, port, lookup: await lookupOf(network, host, port) });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('It does not answer in time.')));
    await once(socket, 'connect');
    return socket.setTimeout(0);
  };
}

/**
 * Creates an agent for libraries that send requests by `node:http` themselves, under the same rules. It keeps
 * connections open; these requests follow no redirects.
 */
export function guardedAgent(network: Network, protocol: string, options: AgentOptions = {}): HttpAgent {
  const find = callbackify((host: string, port: number) => lookupOf(network, host, port));
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ...options }) : new HttpAgent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const { host, port } = target as { readonly host?: string | null; readonly port?: number | string | null };
    const name = (host ?? 'localhost').replace(/^\[(.*)\]$/, '$1');
    find(name, Number(port ?? (isSecure ? 443 : 80)), (error, found) => {
      if (error) callback?.(error, undefined as never);
      else callback?.(null, connect({ ...target, lookup: found }) as Socket);
    });
    return undefined;
  };
  return agent;
}

/** @throws InvalidInputError if one of the addresses of the host is not allowed */
async function lookupOf({ resolve, isAllowed, allowed }: Network, host: string, port: number): Promise<LookupFunction> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new InvalidInputError(serverText('host-unknown', { host }));
  if (!addresses.every((address) => isAllowed(address, port))) {
    throw new InvalidInputError(
      allowed === undefined
        ? serverText('address-not-public', { host, port: String(port) })
        : serverText('address-not-allowed', { host, port: String(port), allowed }),
    );
  }
  // Of several addresses, Node.js uses the first that answers.
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, found) => (all ? found(null, known) : found(null, known[0]!.address, known[0]!.family));
}

/**
 * Checks an address that a person or a model has supplied, before anything is requested from it. A name is not looked up
 * here, but when the connection is opened.
 * @throws InvalidInputError if it is not an http(s) address of a public web server
 */
export function requireInternetAddress(address: string): void {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidInputError(serverText('address-invalid'));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const isInside = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isInside || !WEB_PORTS.has(port))
    throw new InvalidInputError(serverText('address-not-public', { host, port: String(port) }));
}
