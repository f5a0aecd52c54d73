import { Mutex } from 'async-mutex';
import type { ContentBackend } from '#server/content/content-backend';
import { draftsOnlyStore } from '#server/content/embedded/drafts-only';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createPublishedPictures } from '#server/content/embedded/published-pictures';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';
import { createFileReader } from '#server/content/wordpress/fetched-files';
import { createFreshness } from '#server/content/wordpress/freshness';
import type { Mirror } from '#server/content/wordpress/mirror';
import { createOwnRevisions } from '#server/content/wordpress/own-revisions';
import { createMirroredStore, type MirroredStore } from '#server/content/wordpress/mirrored-store';
import type { Exclusively } from '#server/content/wordpress/pull';
import { createWordPressBackend, type UserAbilities } from '#server/content/wordpress/wordpress-backend';
import { ForbiddenError, SiteUnavailableError } from '#server/core/errors';
import type { FetchPicture, PreparePicture } from '#server/core/pictures';
import type { PullProgress } from '#server/core/remote-site';

const PICTURES_ARE_PUBLIC =
  'Not done: a picture in the media library of this WordPress site is visible to everybody at once, and the scope "content:draft" is for drafts alone. Ask somebody with "content:write" to add it.';
const FRESH_FOR_MS = 3_000;
const EVERYTHING: UserAbilities = { canUpload: true, canSetSettings: true, canSetNavigation: true };

export interface WordPressContentOptions {
  /** `createContentRepository(database, siteId)`. */
  readonly mirror: Mirror;
  /**
   * Runs work while no other process writes to this site:
   * `(work) => createLeases(database).withLease('site:' + siteId, work, { waitMs })`.
   */
  readonly exclusively: Exclusively;
  readonly client: WordPressClient;
  /** Address of the site, without a slash at the end. */
  readonly siteUrl: string;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  readonly countTokens?: (text: string) => number;
  readonly preparePicture?: PreparePicture;
  readonly fetchPicture?: FetchPicture;
  /** Told why WordPress could not be asked before something was read; null once it answers. */
  readonly onFault?: (message: string | null) => void;
  /** What the user whom we act as may do there; default: everything. */
  readonly abilities?: UserAbilities;
  /** How old what was last asked of WordPress may be before a read asks again, milliseconds. Default 3,000. */
  readonly freshForMs?: number;
}

/** A WordPress site as content. */
export interface WordPressContent {
  readonly content: ContentBackend;
  /**
   * Takes over what WordPress has otherwise than the mirror. What is taken over stays, also where it is aborted or
   * fails in between; the next time goes on from there.
   * @throws SiteUnavailableError, ForbiddenError
   */
  pull(onProgress?: (progress: PullProgress) => void, signal?: AbortSignal): Promise<void>;
}

/** The content port over a WordPress site and its mirror in our own database. */
export function createWordPressContent(options: WordPressContentOptions): WordPressContent {
  const { mirror: kept, client, siteUrl, now = Date.now } = options;
  const { onFault = () => undefined, freshForMs = FRESH_FOR_MS } = options;
  const { countTokens, preparePicture, fetchPicture, abilities = EVERYTHING } = options;
  const access = { mirror: kept, client, siteUrl, now };
  const site = { ...access, mirror: { ...kept, assetFile: createFileReader(access, preparePicture) } };
  // Those of this process wait for one another before they ask for the lease.
  const inOrder = new Mutex();
  const exclusively: Exclusively = (work) => inOrder.runExclusive(() => options.exclusively(work));

  const fresh = createFreshness(site, exclusively, { freshForMs, onFault });
  const mirrored = createMirroredStore(site, exclusively);
  const store: MirroredStore = {
    ...mirrored,
    async write(work) {
      try {
        return await mirrored.write(work);
      } catch (error) {
        if (error instanceof SiteUnavailableError) fresh.doubt();
        throw error;
      }
    },
  };
  const rules = {
    now,
    ...(countTokens && { countTokens }),
    ...(preparePicture && { preparePicture }),
    ...(fetchPicture && { fetchPicture }),
    isPublished: createPublishedPictures(store),
  };
  const own = createOwnRevisions(site);
  const contentOver = (over: MirroredStore): ContentBackend =>
    createWordPressBackend(createEmbeddedContentBackend(over, rules), over, site.mirror, fresh, own, abilities);
  const draftsOver = contentOver(draftsOnlyStore(store));
  const drafts: ContentBackend = {
    ...draftsOver,
    assets: { ...draftsOver.assets, add: () => Promise.reject(new ForbiddenError(PICTURES_ARE_PUBLIC)) },
    draftsOnly: () => drafts,
  };
  return {
    content: { ...contentOver(store), draftsOnly: () => drafts },
    pull: (onProgress, signal) => fresh.all({ onProgress, signal }),
  };
}
