import { createWordPressClient } from '#server/wordpress/client/create-wordpress-client';
import { createWordPressContent } from '#server/wordpress/wordpress-content';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import type { Database } from '#server/platform/database/database';
import { secretsOf } from '#server/wordpress/wordpress-sites';
import { createLeases } from '#server/platform/database/leases';
import { createSecretBox } from '#server/platform/database/secret-box';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
import { createTestDatabase } from '#tests/support/test-database';
import type { WordPressServer } from '#tests/peers/support/wordpress-server';
import type { ConnectedContent } from '#server/site/connected-content';

export const SITE_ID = 'wps_peer';

/** A WordPress and its mirror in a separate database. */
export interface MirroredSite extends ConnectedContent, AsyncDisposable {
  readonly db: Database;
  readonly client: ReturnType<typeof createWordPressClient>;
  /** Reported failures of WordPress; null: it answers. */
  readonly faults: (string | null)[];
}

export interface MirroredSiteOptions {
  /** Default: the WordPress's own. */
  readonly fetch?: typeof fetch;
  readonly freshForMs?: number;
  /** Of another process that has the same mirror; it is not closed by this one. */
  readonly db?: Database;
  /** Default true. */
  readonly pull?: boolean;
}

/** Makes a WordPress one without content, as a new site of ours is. */
export async function emptyWordPress(wordpress: WordPressServer): Promise<void> {
  await wordpress.reset();
  await wordpress.sql(
    `delete from wp_posts where post_type in ('page', 'post', 'wp_navigation');
     update wp_options set option_value = 'Untitled site' where option_name = 'blogname';
     update wp_options set option_value = '' where option_name = 'blogdescription'`,
  );
}

/** The content of a WordPress, with everything of it taken over. */
export async function mirrorOf(
  wordpress: WordPressServer,
  { fetch: send = fetch, freshForMs = 3_000, pull = true, ...given }: MirroredSiteOptions = {},
): Promise<MirroredSite> {
  const db = given.db ?? (await createTestDatabase());
  const { url, username, password } = wordpress;
  await db.write(async (tx) => {
    const made = { name: 'Peer', isActive: true, abilities: {}, createdAt: 1, updatedAt: 1 };
    const row = { id: SITE_ID, url, username, password: 'sealed', ...made };
    await tx.insert(wordpressSites).values(row).onConflictDoNothing();
  });
  const client = createWordPressClient({ url, username, password, fetch: send });
  const leases = createLeases(db);
  const faults: (string | null)[] = [];
  const content = createWordPressContent({
    mirror: createMirrorRepository(db, SITE_ID),
    exclusively: (work) => leases.withLease(`site:${SITE_ID}`, work, { waitMs: 30_000 }),
    client,
    siteUrl: url,
    secrets: secretsOf(createSecretBox({ secret: 'a secret of thirty-two characters', databaseUrl: 'file:' }), SITE_ID),
    preparePicture,
    onFault: (reason) => void faults.push(reason && reason.text),
    freshForMs,
  });
  if (pull) await content.pull();
  const close = async () => (given.db === undefined ? db.close() : undefined);
  return { ...content, db, client, faults, [Symbol.asyncDispose]: close };
}
