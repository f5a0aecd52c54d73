import { InvalidInputError } from '#server/core/errors';
import { isSealed } from '#server/core/secrets';
import { serverText } from '#server/core/messages/server-text';
import { createWordPressClient, testConnection } from '#server/wordpress/client/create-wordpress-client';
import { baseAddress } from '#server/wordpress/client/site-addresses';
import type { ContentSetup } from '#server/site/embedded/content-setup';
import { createWordPressContent } from '#server/wordpress/wordpress-content';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import type { Leases } from '#server/platform/database/leases';
import type { SecretBox } from '#server/platform/database/secret-box';
import type { Mirror, Secrets } from '#server/wordpress/mirror/mirror';
import type { CmsConnector } from '#server/site/connections/cms-connector';
import { entryPasswordsOf } from '#server/wordpress/store/wordpress-site-repository';
import { isPublicName } from '#server/platform/outgoing/public-addresses';

/** Within the origin of a site, for example from `/wp-json` to `/wp-json/`. A choice, not measured. */
const MAX_REDIRECTS = 3;
/** Longest wait for another process that writes to the same site, milliseconds. A choice, not measured. */
const LEASE_WAIT_MS = 30_000;

/** Registers WordPress: the only place outside server/wordpress that refers to it. */
export function wordPressSites(
  mirrorOf: (siteId: string) => Mirror,
  leases: Leases,
  box: SecretBox,
  setup: ContentSetup,
): CmsConnector {
  const fetch = createOutgoingFetch({ allowed: 'configured', redirects: MAX_REDIRECTS });
  return {
    address: safeSiteAddress,
    open: ({ id, abilities, ...connection }, onFault) =>
      createWordPressContent({
        ...setup,
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

/** Seals passwords of a site's entries, for this site only. */
export function secretsOf({ seal, open }: SecretBox, siteId: string): Secrets {
  const place = entryPasswordsOf(siteId);
  return {
    seal: (password) => seal(password, place),
    open(sealed) {
      const password = open(sealed, place);
      return isSealed(password) ? null : password;
    },
  };
}

/**
 * The stored form of a WordPress site's address (see baseAddress), with `https` if no protocol is given. Passwords are
 * sent to it, so the connection must be encrypted unless the address is not public.
 * @throws InvalidInputError with a sentence for the person who typed it
 */
export function safeSiteAddress(typed: string): string {
  const text = typed.trim();
  const address = baseAddress(/^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^:/]+:\d+/.test(text) ? text : `https://${text}`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && isPublicName(hostname)) {
    throw new InvalidInputError(serverText('site-address-unencrypted'));
  }
  return address;
}
