import { InvalidInputError } from '#server/core/errors';
import { isSealed } from '#server/core/secrets';
import { createWordPressClient, testConnection } from '#server/wordpress/client/create-wordpress-client';
import { baseAddress } from '#server/wordpress/client/site-addresses';
import { createWordPressContent, type WordPressContentOptions } from '#server/wordpress/wordpress-content';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';
import { isPublicName } from '#server/outgoing/network';
import type { CmsConnector } from '#server/sites/sites';
import type { Leases } from '#server/store/leases';
import type { SecretBox } from '#server/store/secret-box';
import type { Mirror, Secrets } from '#server/wordpress/mirror';

/** Within the origin of a site, as from `/wp-json` to `/wp-json/`. */
const MAX_REDIRECTS = 3;
/** Longest wait for another process that writes to the same site, milliseconds. */
const LEASE_WAIT_MS = 30_000;

/** Registers WordPress: the only place outside server/wordpress that knows it. */
export function wordPressSites(
  mirrorOf: (siteId: string) => Mirror,
  leases: Leases,
  box: Pick<SecretBox, 'seal' | 'open'>,
  options: Pick<WordPressContentOptions, 'countTokens' | 'preparePicture' | 'fetchPicture' | 'checkAddress'>,
): CmsConnector {
  const fetch = createOutgoingFetch({ allowed: 'configured', redirects: MAX_REDIRECTS });
  return {
    address: safeSiteAddress,
    open: ({ id, abilities, ...connection }, onFault) =>
      createWordPressContent({
        ...options,
        mirror: mirrorOf(id),
        exclusively: (work) => leases.withLease(`site:${id}`, work, { waitMs: LEASE_WAIT_MS }),
        siteUrl: connection.url,
        secrets: secretsOf(box, id),
        client: createWordPressClient({ ...connection, fetch }),
        abilities,
        onFault,
      }),
    test: (connection) => testConnection({ ...connection, fetch }),
  };
}

/** Seals passwords of a site's entries: for this site alone. */
export function secretsOf({ seal, open }: Pick<SecretBox, 'seal' | 'open'>, siteId: string): Secrets {
  const place = `wordpress_sites/${siteId}/entries`;
  return {
    seal: (password) => seal(password, place),
    open(sealed) {
      const password = open(sealed, place);
      return isSealed(password) ? null : password;
    },
  };
}

/**
 * The address of a WordPress site as it is stored (see baseAddress), with `https` where no protocol is said. Passwords
 * travel to it, so it is encrypted unless it is not public.
 * @throws InvalidInputError with a sentence for whoever typed it
 */
export function safeSiteAddress(typed: string): string {
  const text = typed.trim();
  const address = baseAddress(/^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^:/]+:\d+/.test(text) ? text : `https://${text}`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && isPublicName(hostname)) {
    throw new InvalidInputError(
      'The application password would travel unencrypted to this address: it must begin with https://.',
    );
  }
  return address;
}
