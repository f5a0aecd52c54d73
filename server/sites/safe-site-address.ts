import ipaddr from 'ipaddr.js';
import { siteAddress } from '#server/content/wordpress/client/site-address';
import { InvalidInputError } from '#server/core/errors';
import { isPublicAddress } from '#server/outgoing/public-address';

/** Names that no public server has. */
const INSIDE = /(^|\.)(localhost|local|internal|lan|home\.arpa|test)$/;

/**
 * The address of a WordPress site as it is stored (see siteAddress), with `https` where no protocol is said. Passwords
 * travel to it, so it is encrypted unless it is not public.
 * @throws InvalidInputError with a sentence for whoever typed it
 */
export function safeSiteAddress(typed: string): string {
  const text = typed.trim();
  const address = siteAddress(/^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^:/]+:\d+/.test(text) ? text : `https://${text}`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && isPublicName(hostname)) {
    throw new InvalidInputError(
      'The application password would travel unencrypted to this address: it must begin with https://.',
    );
  }
  return address;
}

/** A name without a dot is one of the network here; any other one counts as public. */
function isPublicName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return host.includes('.') && !INSIDE.test(host);
}
