import type { AuditLog } from '#server/auth/audit-log';
import type { ContentStore } from '#server/content/embedded/content-store';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import type { SiteIdentity } from '#server/agent/site-facts';
import { countTokens } from '#server/context/tokens';
import { EMBEDDED_SITE } from '#server/core/content';
import { Imports } from '#server/import/imports';
import { createPictureFetch, preparePicture } from '#server/media/prepare-picture';
import { type Foundation, sealStored } from '#server/services/foundation';
import { createActiveContent, createStanding } from '#server/sites/active-content';
import {
  createDuePublications,
  type DuePublicationsOptions,
  plansOfActiveSite,
  wakingOnPlans,
} from '#server/sites/publish-due';
import { Sites } from '#server/sites/sites';
import { wordPressSites } from '#server/sites/wordpress-sites';
import { createContentRepository } from '#server/store/content-repository';
import { createImportRepository } from '#server/store/import-repository';
import { createPresenceRepository } from '#server/store/presence-repository';
import { createWordPressSiteRepository } from '#server/store/wordpress-site-repository';

export interface SiteOptions {
  readonly audit: AuditLog;
  /** Keeps the built-in site. Default: the database. */
  readonly contentStore?: ContentStore | undefined;
}

/** The built-in and the connected sites, and the work that goes on around the active one. */
export async function openSite(
  { env, database, leaseWatch, leases, signals, secretBox, onFault }: Foundation,
  { audit, contentStore = createContentRepository(database) }: SiteOptions,
) {
  let writes = 0;
  const counted: ContentStore = {
    ...contentStore,
    write: (work) => contentStore.write(work).finally(() => (writes += 1)),
  };
  const pictures = { preparePicture, fetchPicture: createPictureFetch(), countTokens };
  const embedded = wakingOnPlans(createEmbeddedContentBackend(counted, pictures), () => publications.wake());
  const store = createWordPressSiteRepository(database, secretBox, Date.now, leaseWatch);
  await sealStored(store, onFault);
  const sites = await Sites.load({
    connected: wordPressSites(database, leases, secretBox, pictures),
    store,
    embedded,
    signals,
    onFault,
  });
  const content = createActiveContent(sites.active);
  const active = async () => {
    const { activeSiteId } = await sites.report();
    return { siteId: activeSiteId, content: sites.contentOf(activeSiteId) };
  };

  const importStore = createImportRepository(database);
  const imports = new Imports({
    store: importStore,
    leases,
    sites: async () => (await sites.choices()).map((site) => ({ ...site, content: sites.contentOf(site.id) })),
    onFault,
  });
  await imports.settle();

  const standing = await createStanding({
    // Asked before each request to a model: another process may have switched to another site by then.
    async standingInstructions() {
      await sites.refresh();
      return content.standingInstructions();
    },
  });

  const publishing: Omit<DuePublicationsOptions, 'siteId' | 'content'> = {
    leases,
    onPublished: ({ id, draft, published }, { userId }) =>
      void audit.record(null, 'content-published', {
        target: (published ?? draft).title,
        details: { id },
        actorName: 'Schedule',
        userId,
      }),
    onFault,
  };
  const publications = createDuePublications({ ...publishing, siteId: EMBEDDED_SITE, content: embedded });
  const elsewhere = createDuePublications({
    ...publishing,
    siteId: 'active',
    content: plansOfActiveSite(database, content, async () => (await sites.report()).activeSiteId),
  });

  return {
    sites,
    /** Content of the active site, whichever it is at each call. */
    content,
    active,
    /** The active site, and where visitors reach it. */
    async identity(): Promise<SiteIdentity> {
      const { activeSiteId, wordpress } = await sites.report();
      const own = env.SITE_URL ?? (env.PUBLIC_URL === undefined ? null : new URL('/site', env.PUBLIC_URL).href);
      return { id: activeSiteId, address: wordpress.find(({ isActive }) => isActive)?.url ?? own };
    },
    /** Number of writes by this process to the built-in site. */
    writes: () => writes,
    imports,
    /** Comments that came with imported entries of the active site. */
    comments: async () => importStore.comments((await active()).siteId),
    standing,
    presence: createPresenceRepository(database),
    startPublishing() {
      publications.start();
      elsewhere.start();
    },
    /** Ends imports and publications; the sites themselves are closed by `sites.close`. */
    async stopWork() {
      await Promise.all([publications.close(), elsewhere.close(), imports.close()]);
    },
  };
}
