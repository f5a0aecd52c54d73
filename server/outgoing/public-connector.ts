import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { InvalidInputError } from '#server/core/errors';
import { isLinkLocalAddress, isPublicAddress } from '#server/outgoing/public-address';

/** What stands behind names, and what of it may be reached. */
export interface Network {
  /** All addresses of a name. */
  resolve(this: void, name: string): Promise<readonly string[]>;
  isAllowed(this: void, address: string, port: number): boolean;
  /** What an address is that may be reached, for the message about one that may not. Default: a public web server. */
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
export function guardedConnector({ resolve, isAllowed, allowed }: Network): buildConnector.connector {
  const find = callbackify(async (host: string, port: number) => {
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    if (addresses.length === 0) throw new InvalidInputError(`The name ${host} cannot be found.`);
    if (addresses.every((address) => isAllowed(address, port))) return addresses;
    const expected = allowed ?? 'one of a web server on the public internet';
    throw new InvalidInputError(`The address ${host}:${port} is not ${expected}.`);
  });
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    find(hostname.replace(/^\[(.*)\]$/, '$1'), port, (error, addresses) => {
      if (error) return callback(error, null);
      // Of several addresses Node.js takes the first that answers. A certificate is still compared with the name.
      const known = addresses.map((address) => ({ address, family: isIP(address) }));
      const connect = buildConnector({
        lookup: (_, { all }, found) => (all ? found(null, known) : found(null, known[0]!.address, known[0]!.family)),
      });
      connect(options, callback);
    });
  };
}
