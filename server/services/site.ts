import type { AuditLog } from '#server/auth/audit-log';
import type { ContentStore } from '#server/content/embedded/content-store';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { tellingOfNoticed } from '#server/content/embedded/noticed-changes';
import type { TurnSite } from '#server/agent/site-facts';
import type { ContentBackend, StandingState } from '#server/content/content-backend';
import { countTokens } from '#server/context/tokens';
import { readPlanned, readTrash, usedPictures } from '#server/content/site-readings';
import { NoSiteError } from '#server/core/errors';
import { EMBEDDED_SITE, type StandingReport } from '#server/core/content';
import type { PlannedPage, PlannedQuery, TrashPage, TrashQuery, UsedPicture } from '#server/core/site-lists';
import { exportSite, type SiteExportOptions } from '#server/export/export-site';
import { Imports } from '#server/import/imports';
import { isOwnPicture } from '#server/media/own-pictures';
import { createPictureFetch, preparePicture } from '#server/media/prepare-picture';
import { requireInternetAddress } from '#server/outgoing/network';
import { type Foundation, sealStored } from '#server/services/foundation';
import { contentOfSite, createStanding } from '#server/sites/site-content';
import {
  createDuePublications,
  type DuePublicationsOptions,
  plansOfConnectedSites,
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

/** The built-in and the connected sites, and the work that goes on around them. */
export async function openSite(
  { env, database, leaseWatch, leases, signals, secretBox, onFault }: Foundation,
  { audit, contentStore = createContentRepository(database) }: SiteOptions,
) {
  let writes = 0;
  const audited = <Store extends Pick<ContentStore, 'write'>>(store: Store, siteId: string) =>
    tellingOfNoticed(store, (changes) => audit.recordChanges(siteId, changes));
  const told = audited(contentStore, EMBEDDED_SITE);
  const counted: ContentStore = {
    ...told,
    write: (work) => told.write(work).finally(() => (writes += 1)),
  };
  const storeOf = (siteId: string) => audited(createContentRepository(database, siteId), siteId);
  const sources = { fetchPicture: createPictureFetch(), checkAddress: requireInternetAddress };
  const pictures = { preparePicture, ...sources, countTokens };
  const builtIn = createEmbeddedContentBackend(counted, { ...pictures, hasPicture: isOwnPicture });
  const embedded = wakingOnPlans(builtIn, () => publications.wake());
  const store = createWordPressSiteRepository(database, secretBox, Date.now, leaseWatch);
  await sealStored(store, onFault);
  const sites = await Sites.load({
    connected: wordPressSites(storeOf, leases, secretBox, pictures),
    store,
    embedded,
    signals,
    onFault,
  });
  const opened = new Map<string, ContentBackend>();
  /** Also of a site that is gone: its methods say so then. */
  const contentOf = (siteId: string): ContentBackend => {
    if (siteId === EMBEDDED_SITE) return embedded;
    const content = opened.get(siteId) ?? contentOfSite(() => sites.contentOf(siteId), embedded);
    opened.set(siteId, content);
    return content;
  };
  const standing = createStanding(contentOf);
  /** Another process may have connected the site, or disconnected it. */
  const isThere = async (siteId: string) => {
    if (siteId === EMBEDDED_SITE || sites.wordPress(siteId) !== null) return true;
    await sites.refresh();
    return sites.wordPress(siteId) !== null;
  };
  await Promise.all(
    [EMBEDDED_SITE, ...sites.connectedIds].map((siteId) =>
      standing.refresh(siteId).catch((error: unknown) => onFault('standing instructions cannot be read', error)),
    ),
  );

  const importStore = createImportRepository(database);
  const imports = new Imports({
    store: importStore,
    leases,
    sites: async () => (await sites.choices()).map((site) => ({ ...site, content: sites.contentOf(site.id) })),
    onFault,
  });
  await imports.settle();

  const publishing: Omit<DuePublicationsOptions, 'siteId' | 'content'> = {
    leases,
    onFault,
  };
  const publications = createDuePublications({ ...publishing, siteId: EMBEDDED_SITE, content: embedded });
  const elsewhere = createDuePublications({
    ...publishing,
    siteId: 'connected',
    content: plansOfConnectedSites(database, sites),
  });

  return {
    sites,
    contentOf,
    /** The content of a site, for what was done there; of one that is gone, nothing is left. */
    pastOf: (siteId: string): ContentBackend =>
      siteId === EMBEDDED_SITE || sites.wordPress(siteId) !== null
        ? contentOf(siteId)
        : createEmbeddedContentBackend(storeOf(siteId)),
    /** A site as a conversation works on it. */
    at(siteId: string): TurnSite {
      const own = env.SITE_URL ?? (env.PUBLIC_URL === undefined ? null : new URL('/site', env.PUBLIC_URL).href);
      const address = siteId === EMBEDDED_SITE ? own : (sites.wordPress(siteId)?.url ?? null);
      return { id: siteId, address, content: contentOf(siteId) };
    },
    /** @throws ConflictError for a site that is not connected any more */
    async requireConnected(siteId: string): Promise<void> {
      if (!(await isThere(siteId))) sites.requireConnected(siteId);
    },
    /** Number of writes by this process to the built-in site. */
    writes: () => writes,
    imports,
    /** Comments that came with imported entries of a site. */
    comments: (siteId: string) => importStore.comments(siteId),
    standing: {
      ...standing,
      /** The instructions of a site that is gone stay as they were read last: its conversations can still be looked at. */
      refresh: async (siteId: string) => {
        if (await isThere(siteId)) await standing.refresh(siteId);
      },
    },
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

/** One site as routes and pages work on it. */
export interface SiteServices {
  /** Its id; null for whoever may work on no site. */
  readonly chosenSite: string | null;
  /** Its id. @throws NoSiteError for whoever may work on no site */
  readonly requireSite: () => string;
  readonly content: ContentBackend;
  /** The site as a JSON file, which an import takes back. */
  readonly siteExport: (options: SiteExportOptions) => Promise<ReturnType<typeof exportSite>>;
  /** Deleted entries. */
  readonly trash: (query: TrashQuery) => Promise<TrashPage>;
  /** Pictures that the site shows, in the library or not, and where. */
  readonly usedPictures: () => Promise<UsedPicture[]>;
  /** Entries with a planned publication. */
  readonly planned: (query: PlannedQuery) => Promise<PlannedPage>;
  /** Its standing instructions, as stored and as models read them. */
  readonly standing: {
    readonly refresh: () => Promise<void>;
    readonly report: (written?: StandingState) => Promise<StandingReport>;
  };
}

export function siteServices(
  { contentOf, comments, standing }: Pick<Awaited<ReturnType<typeof openSite>>, 'contentOf' | 'comments' | 'standing'>,
  chosen: string | null,
): SiteServices {
  const requireSite = () => {
    if (chosen === null) throw new NoSiteError();
    return chosen;
  };
  const siteId = chosen ?? EMBEDDED_SITE;
  const content =
    chosen === null ? contentOfSite(() => contentOf(requireSite()), contentOf(siteId)) : contentOf(siteId);
  return {
    chosenSite: chosen,
    requireSite,
    content,
    siteExport: async (options) => exportSite(content, { ...options, comments: await comments(requireSite()) }),
    trash: (query) => readTrash(content, query),
    usedPictures: () => usedPictures(content),
    planned: (query) => readPlanned(content, query),
    standing: {
      refresh: () => standing.refresh(siteId),
      report: async (written) => standing.report(requireSite(), written),
    },
  };
}
