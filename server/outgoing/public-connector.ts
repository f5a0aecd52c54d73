import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { InvalidInputError } from '#server/core/errors';
import { isPublicAddress } from '#server/outgoing/public-address';

/** What stands behind names, and what of it may be reached. */
export interface Network {
  /** All addresses of a name. */
  resolve(this: void, name: string): Promise<readonly string[]>;
  isAllowed(this: void, address: string, port: number): boolean;
}

/** Ports of web servers; behind another one may be anything. */
const PORTS = new Set([80, 443, 8080, 8443]);

export const theInternet: Network = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  isAllowed: (address, port) => isPublicAddress(address) && PORTS.has(port),
};

/**
 * Opens connections to public addresses only. A name is looked up here, once: the connection goes to an address that was
 * looked at, so that it does not matter what the name's server answers the next time (DNS rebinding). One address
 * inside among several refuses the name.
 */
export function publicConnector({ resolve, isAllowed }: Network): buildConnector.connector {
  const connect = buildConnector({});
  const find = callbackify(async (host: string, port: number) => {
    const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
    const [first] = addresses.toSorted((a, b) => isIP(a) - isIP(b));
    if (first === undefined) throw new InvalidInputError(`The name ${host} cannot be found.`);
    if (addresses.every((address) => isAllowed(address, port))) return first;
    throw new InvalidInputError(`The address ${host}:${port} is not one of a web server on the public internet.`);
  });
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    find(hostname.replace(/^\[(.*)\]$/, '$1'), port, (error, address) => {
      if (error) callback(error, null);
      // A certificate is still compared with the name, which `options.servername` has.
      else connect({ ...options, hostname: address }, callback);
    });
  };
}
