import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as openSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { InvalidInputError } from '#server/core/errors';

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
export function guardedConnector(network: Network): buildConnector.connector {
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

/**
 * Refuses an address of which it can be said without asking anybody that nothing is downloaded from it. A name is looked
 * up only when it is reached.
 * @throws InvalidInputError
 */
export function requireInternetAddress(address: string): void {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidInputError('This is not an address. It must begin with https://.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const isInside = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isInside || !PORTS.has(port))
    throw new InvalidInputError(`The address ${host}:${port} is not one of a web server on the public internet.`);
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
