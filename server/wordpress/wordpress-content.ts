import type { ServerText } from '#server/core/coded-message';
import type { ContentSetup } from '#server/site/embedded/content-setup';
import type { Clock } from '#server/core/process';
import { Mutex } from 'async-mutex';
import type { ConnectedContent } from '#server/site/connected-content';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createPublishedPictures } from '#server/site/embedded/published-pictures';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import type { Exclusively } from '#server/wordpress/pull';
import { createFreshness } from '#server/wordpress/freshness';
import type { Mirror, Secrets } from '#server/wordpress/mirror/mirror';
import { createFileReader } from '#server/wordpress/mirrored-pictures';
import { createMirroredStore } from '#server/wordpress/mirrored-store';
import { createOwnRevisions } from '#server/wordpress/mirror/entry-history';
import { createAbilityRunner } from '#server/wordpress/run-ability';
import { type UserAbilities, WordPressSite } from '#server/wordpress/wordpress-site';

/** Time for which a read does not ask WordPress again; milliseconds. A choice, not measured. */
const FRESH_FOR_MS = 3_000;
/** All rights of a user. SEO fields need a plugin of the site, which only the connection test finds. */
const EVERYTHING: UserAbilities = {
  canUpload: true,
  canSetSettings: true,
  canSetNavigation: true,
  canSetSeo: false,
};

/** What the content of a connected site is created with. */
export interface WordPressContentOptions extends ContentSetup, Partial<Clock> {
  /** `createContentRepository(database, siteId)`. */
  readonly mirror: Mirror;
  /**
   * Runs work while no other process writes to this site:
   * `(work) => createLeases(database).withLease('site:' + siteId, work, { waitMs })`.
   */
  readonly exclusively: Exclusively;
  readonly client: WordPressClient;
  /** Address of the site, without a trailing slash. */
  readonly siteUrl: string;
  readonly secrets: Secrets;
  /** Receives why WordPress could not be reached, and null when it answers again. */
  readonly onFault?: (reason: ServerText | null) => void;
  /** Abilities of the connected user; default: all but `canSetSeo`, which needs a plugin of the site. */
  readonly abilities?: UserAbilities;
  /** Longest time that a read relies on WordPress's last response, milliseconds. Default 3,000. */
  readonly freshForMs?: number;
}

/** The CMS adapter of a WordPress site with a mirror in our own database. */
export function createWordPressContent(options: WordPressContentOptions): ConnectedContent {
  const {
    mirror: kept,
    exclusively: alone,
    client,
    siteUrl,
    secrets,
    now = Date.now,
    onFault = () => undefined,
    freshForMs = FRESH_FOR_MS,
    abilities = EVERYTHING,
    ...setup
  } = options;
  const access = { mirror: kept, client, siteUrl, secrets, now };
  const site = { ...access, mirror: { ...kept, assetFile: createFileReader(access, setup.preparePicture) } };
  // Calls in this process wait for one another before they request the lease.
  const inOrder = new Mutex();
  const exclusively: Exclusively = (work) => inOrder.runExclusive(() => alone(work));

  const fresh = createFreshness(site, exclusively, { freshForMs, onFault });
  const store = createMirroredStore(site, exclusively, fresh, { followsMenu: abilities.canSetNavigation, onFault });
  const rules = {
    ...setup,
    now,
    isPublished: createPublishedPictures(store),
    // No limit: WordPress stores the pictures.
    maxPictures: Infinity,
    isConnected: true,
  };
  const own = createOwnRevisions(site);
  const parts = { site, fresh, own, abilities };
  const drafts = new WordPressSite({ ...parts, base: new EmbeddedSite(store, { ...rules, onlyDrafts: true }) });
  return {
    content: new WordPressSite({ ...parts, base: new EmbeddedSite(store, rules), drafts }),
    pull: (onProgress, signal) => fresh.all({ onProgress, signal }),
    runAbility: createAbilityRunner(site, exclusively, () => fresh.doubt()),
  };
}
