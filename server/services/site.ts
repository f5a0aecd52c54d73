import type { AuditLog } from '#server/platform/auth/audit-log';
import type { ContentStore, ContentWriter } from '#server/site/embedded/content-store';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { reportVisibleChanges } from '#server/site/embedded/report-visible-changes';
import { KnownFacts } from '#server/conversation/step/known-facts';
import type { TurnSite } from '#server/conversation/step/site-context';
import type { ContentBackend } from '#server/site/content-backend';
import { countTokens } from '#server/context/tokens';
import type { SessionSite } from '#server/context/ports';
import type { Session } from '#server/core/conversation/sessions';
import { readLedger } from '#server/site/reports/session-ledger';
import { createSiteState } from '#server/site/reports/site-state';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { Imports } from '#server/import-export/imports';
import { isOwnPicture } from '#server/site/media/own-pictures';
import { preparePicture } from '#server/site/media/prepare-picture';
import { requireInternetAddress } from '#server/platform/outgoing/network';
import type { ProcessContext } from '#server/platform/process-context';
import { sealStored } from '#server/services/foundation';
import { CurrentSite } from '#server/site/connections/current-site';
import { createDuePublications, type DuePublicationsOptions } from '#server/site/connections/publish-due';
import { Sites } from '#server/site/connections/sites';
import { wordPressSites } from '#server/wordpress/wordpress-sites';
import { createContentRepository } from '#server/site/store/content-repository';
import { createImportRepository } from '#server/import-export/import-repository';
import { createPresenceRepository } from '#server/site/store/presence-repository';
import { fillFoldedTexts } from '#server/site/store/folded-texts';
import { shorten } from '#server/core/text/short-text';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import { createWordPressSiteRepository } from '#server/wordpress/store/wordpress-site-repository';
import { connectedSchedules } from '#server/site/connections/connected-schedules';
import { createStandingCache } from '#server/site/connections/standing-cache';
import { createPictureFetch } from '#server/site/media/picture-fetch';
import { KnownSite } from '#server/site/public/known-site';
import { equalNames } from '#server/site/store/equal-names';

/** What the sites need besides the process. */
export interface SiteOptions {
  readonly audit: AuditLog;
  /** Stores the built-in site. Default: the database. */
  readonly contentStore?: ContentStore | undefined;
}

/** Longest list of names in one line of the audit log, in characters. */
const MAX_EQUAL_NAMES = 500;

/**
 * Fills the folded texts of rows that an older version wrote. Names that filters distinguished until then, but now
 * treat as equal, are listed in the audit log; nothing is merged.
 */
async function updateFoldedTexts(database: ProcessContext['database'], audit: AuditLog): Promise<void> {
  if ((await fillFoldedTexts(database)) === 0) return;
  const equal = await equalNames(database.read);
  if (equal.length === 0) return;
  const target = shorten(equal.map((names) => names.join(' = ')).join('; '), MAX_EQUAL_NAMES);
  await audit.record(null, 'equal-names-found', { actorName: 'Throughline', target, details: { names: equal } });
}

export type Site = Awaited<ReturnType<typeof openSite>>;

/** Opens the built-in and the connected sites, with their imports and publications. */
export async function openSite(
  { env, now, database, leaseWatch, leases, signals, secretBox, onFault }: ProcessContext,
  { audit, contentStore = createContentRepository(database) }: SiteOptions,
) {
  let writes = 0;
  /** The store, with changes from outside this server recorded in the audit log. */
  const audited = <Store extends ContentWriter>(store: Store, siteId: string) =>
    reportVisibleChanges(store, (changes) => audit.recordChanges(siteId, changes));
  const mirrorOf = (siteId: string) => audited(createMirrorRepository(database, siteId), siteId);
  const sources = { fetchPicture: createPictureFetch(), checkAddress: requireInternetAddress };
  const pictures = { preparePicture, ...sources, countTokens };
  const embedded = new EmbeddedSite(audited(contentStore, EMBEDDED_SITE), {
    ...pictures,
    hasPicture: isOwnPicture,
    onWrite: () => {
      writes += 1;
    },
    onSchedule: () => publications.wake(),
  });
  const store = createWordPressSiteRepository(database, secretBox, now, leaseWatch);
  await sealStored(store, onFault);
  const sites = await Sites.load({
    connected: wordPressSites(mirrorOf, leases, secretBox, pictures),
    store,
    embedded,
    signals,
    onFault,
  });
  const openedContents = new Map<string, ContentBackend>();
  /** The content of a site. For a site that is no longer connected, its methods throw. */
  const contentOf = (siteId: string): ContentBackend => {
    if (siteId === EMBEDDED_SITE) return embedded;
    const content = openedContents.get(siteId) ?? new CurrentSite(() => sites.contentOf(siteId));
    openedContents.set(siteId, content);
    return content;
  };
  /** The content of a site, to read its past changes. A site that is no longer connected has none left. */
  const pastOf = (siteId: string): ContentBackend =>
    siteId === EMBEDDED_SITE || sites.wordPress(siteId) !== null
      ? contentOf(siteId)
      : new EmbeddedSite(mirrorOf(siteId));
  const knownFacts = new KnownFacts();
  const knownSite = new KnownSite(embedded);
  const readState = createSiteState();
  const standing = createStandingCache(contentOf);
  /** True if the site exists; another process may have connected or disconnected it. */
  const exists = async (siteId: string) => {
    if (siteId === EMBEDDED_SITE || sites.wordPress(siteId) !== null) return true;
    await sites.refresh();
    return sites.wordPress(siteId) !== null;
  };
  await Promise.all(
    [EMBEDDED_SITE, ...sites.connectedIds].map((siteId) =>
      standing.refresh(siteId).catch((error: unknown) => onFault('standing instructions cannot be read', error)),
    ),
  );

  await updateFoldedTexts(database, audit);

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
  const connectedPublications = createDuePublications({
    ...publishing,
    siteId: 'connected',
    content: connectedSchedules(database, sites),
  });

  return {
    sites,
    contentOf,
    pastOf,
    /** The site of a session as the context engine reads it. */
    ofSession: ({ id, siteId }: Session): SessionSite => ({
      ledger: () => readLedger(pastOf(siteId), id),
      state: (refs, signal) => readState(pastOf(siteId), id, refs, signal),
      standing: () => standing.current(siteId),
    }),
    /** A site as the turns of a conversation use it. */
    at(siteId: string): TurnSite {
      const own = env.SITE_URL ?? (env.PUBLIC_URL === undefined ? null : new URL('/site', env.PUBLIC_URL).href);
      const address = siteId === EMBEDDED_SITE ? own : (sites.wordPress(siteId)?.url ?? null);
      return { id: siteId, address, content: contentOf(siteId), ...(siteId === EMBEDDED_SITE && { knownFacts }) };
    },
    /** @throws ConflictError for a site that is no longer connected */
    async requireConnected(siteId: string): Promise<void> {
      if (!(await exists(siteId))) sites.requireConnected(siteId);
    },
    /** A site for its visitors. */
    forVisitors: (siteId: string) => (siteId === EMBEDDED_SITE ? knownSite.current() : contentOf(siteId)),
    /** Number of writes by this process to the built-in site. */
    writes: () => writes,
    imports,
    /** Comments of the imported entries of a site. */
    comments: (siteId: string) => importStore.comments(siteId),
    standing: {
      ...standing,
      /** The instructions of a removed site keep their last state, because its conversations can still be viewed. */
      refresh: async (siteId: string) => {
        if (await exists(siteId)) await standing.refresh(siteId);
      },
    },
    presence: createPresenceRepository(database, now),
    startPublishing() {
      publications.start();
      connectedPublications.start();
    },
    /** Ends imports and publications; the sites themselves are closed by `sites.close`. */
    async stopWork() {
      await Promise.all([publications.close(), connectedPublications.close(), imports.close()]);
    },
  };
}
