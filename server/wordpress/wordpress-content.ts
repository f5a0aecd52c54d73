import { Mutex } from 'async-mutex';
import type { AssetLibrary } from '#server/content/asset-library';
import type { ConnectedContent, ContentBackend } from '#server/content/content-backend';
import type { SiteCapabilities } from '#server/core/site-lists';
import { quotedTitle } from '#server/content/change-summary';
import { linkedAsset } from '#server/content/entry-links';
import { diffDocuments } from '#server/content/document-operations';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { draftsOnlyStore } from '#server/content/embedded/limited-writes';
import { createPublishedPictures } from '#server/content/embedded/published-pictures';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import { keptHere, keptNote } from '#server/wordpress/entry-plan';
import type { Exclusively } from '#server/wordpress/pull';
import { createFreshness, type Freshness } from '#server/wordpress/freshness';
import { knownAssetOf, knownEntryOf, type Mirror, type Secrets, type SiteAccess } from '#server/wordpress/mirror';
import { createMirroredStore, type MirroredStore } from '#server/wordpress/mirrored-store';
import { editAddress, requireWritable } from '#server/wordpress/draft-content';
import { createOwnRevisions, type OwnRevisions } from '#server/wordpress/entry-past';
import { lookFile, realLook } from '#server/wordpress/real-look';
import { replacedNote, replacedWarning } from '#server/wordpress/replaced-words';
import { blockReferences, reusableNotes } from '#server/wordpress/reusable-blocks';
import type { Entry, EntryType } from '#server/core/content';
import type { WriteNotes, WriteOptions } from '#server/core/changes';
import { ForbiddenError, SiteUnavailableError } from '#server/core/errors';
import type { FetchPicture, PreparePicture } from '#server/core/files';
import { MAX_PICTURE_BYTES } from '#server/core/limits';
import type { SiteAbilities } from '#server/core/remote-site';

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
  readonly secrets: Secrets;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  readonly countTokens?: (text: string) => number;
  readonly preparePicture?: PreparePicture;
  readonly fetchPicture?: FetchPicture;
  /** Throws for an address that `fetchPicture` refuses whatever is there. */
  readonly checkAddress?: (address: string) => void;
  /** Told why WordPress could not be asked; null once it answers. */
  readonly onFault?: (message: string | null) => void;
  /** Abilities of the connected user; default: all. */
  readonly abilities?: UserAbilities;
  /** Longest time a read relies on WordPress's last answer, milliseconds. Default 3,000. */
  readonly freshForMs?: number;
}

/** The content port over a WordPress site and its mirror in our own database. */
export function createWordPressContent(options: WordPressContentOptions): ConnectedContent {
  const { mirror: kept, client, siteUrl, secrets, now = Date.now } = options;
  const { onFault = () => undefined, freshForMs = FRESH_FOR_MS } = options;
  const { countTokens, preparePicture, fetchPicture, checkAddress, abilities = EVERYTHING } = options;
  const access = { mirror: kept, client, siteUrl, secrets, now };
  const site = { ...access, mirror: { ...kept, assetFile: createFileReader(access, preparePicture) } };
  // Those of this process wait for one another before they ask for the lease.
  const inOrder = new Mutex();
  const exclusively: Exclusively = (work) => inOrder.runExclusive(() => options.exclusively(work));

  const fresh = createFreshness(site, exclusively, { freshForMs, onFault });
  const mirrored = createMirroredStore(site, exclusively, abilities.canSetNavigation);
  const store: MirroredStore = {
    ...mirrored,
    async write(work) {
      try {
        return await mirrored.write(work);
      } catch (error) {
        if (error instanceof SiteUnavailableError) {
          fresh.doubt();
          onFault(error.message);
        }
        throw error;
      }
    },
  };
  const rules = {
    now,
    ...(countTokens && { countTokens }),
    ...(preparePicture && { preparePicture }),
    ...(fetchPicture && { fetchPicture }),
    ...(checkAddress && { checkAddress }),
    isPublished: createPublishedPictures(store),
    // WordPress keeps the pictures.
    mostPictures: Infinity,
    isConnected: true,
  };
  const own = createOwnRevisions(site);
  const contentOver = (over: MirroredStore): ContentBackend =>
    createWordPressBackend(createEmbeddedContentBackend(over, rules), over, site, fresh, own, abilities);
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

const BACKEND = 'wordpress';

/** WordPress itself leads only old addresses of posts on. */
const CANNOT: Partial<SiteCapabilities> = { redirects: false };

/** Abilities of the connected user. */
export type UserAbilities = Pick<SiteAbilities, 'canUpload' | 'canSetSettings' | 'canSetNavigation' | 'canSetSeo'>;

function capabilitiesFor(
  { canUpload, canSetSettings, canSetNavigation, canSetSeo = false }: UserAbilities,
  base: SiteCapabilities,
): SiteCapabilities {
  const { assets } = base;
  const user = { settings: canSetSettings, navigation: canSetNavigation, seo: canSetSeo, assets: assets && canUpload };
  return { ...base, ...CANNOT, ...user, backend: BACKEND };
}

/** Adds notes and corrections by WordPress to a write's result. */
function createTeller(store: MirroredStore, mirror: Mirror, fresh: Freshness) {
  return async function tell<T extends object>(written: T): Promise<T & WriteNotes> {
    const report = store.reportOf(written);
    if (report === undefined) return written;
    const { entry } = written as { entry?: Entry };
    if (entry !== undefined) fresh.wrote(entry.id);
    const corrected = report.corrected && entry !== undefined ? await mirror.entry(entry.id) : null;
    return {
      ...written,
      ...(corrected !== null && { entry: corrected }),
      ...(report.notes.length > 0 && { notes: report.notes }),
    };
  };
}

const WRITES = [
  'create',
  'patchAll',
  'schedule',
  'unpublish',
  'discardDraft',
  'trash',
  'restore',
  'updateSettings',
] as const satisfies readonly (keyof ContentBackend)[];
/** Writes that are undone by: a rehearsal of one is to find what the write would. */
const UNDOS = ['undo', 'undoAll', 'bringBack'] as const satisfies readonly (keyof ContentBackend)[];
const ASSET_WRITES = [
  'add',
  'update',
  'replace',
  'trash',
  'restore',
] as const satisfies readonly (keyof AssetLibrary)[];
/** Reads that first pull the changes of the whole site. */
const SITE_READS = [
  'query',
  'statusCounts',
  'search',
  'entriesWith',
  'navigation',
  'settings',
  'tags',
  'changes',
] as const satisfies readonly (keyof ContentBackend)[];

type Call = (...args: readonly unknown[]) => Promise<object>;

/** Some methods of an object, each wrapped. The types stay: a wrapper takes and gives what the method does. */
function wrapped<T extends object, Name extends keyof T>(
  target: T,
  names: readonly Name[],
  wrap: (call: Call) => Call,
): Pick<T, Name> {
  const methods = names.map((name) => [name, wrap((target[name] as Call).bind(target))] as const);
  return Object.fromEntries(methods) as unknown as Pick<T, Name>;
}

/**
 * The port over a mirrored WordPress site: the embedded backend's rules over the mirror, which before it is read takes
 * over what was changed in WordPress, and writes that tell what WordPress made of them.
 * @param base the embedded backend over `store`
 * @param own what WordPress itself remembers
 */
function createWordPressBackend(
  base: ContentBackend,
  store: MirroredStore,
  site: SiteAccess,
  fresh: Freshness,
  own: OwnRevisions,
  abilities: UserAbilities,
): ContentBackend {
  const { mirror, siteUrl } = site;
  const tell = createTeller(store, mirror, fresh);
  const told =
    (call: Call): Call =>
    async (...args) =>
      tell(await call(...args));
  const toldAfterLook =
    (call: Call): Call =>
    async (...args) => {
      const { dryRun = false } = (args.at(-1) ?? {}) as WriteOptions;
      if (dryRun) await fresh.site();
      return tell(await call(...args));
    };
  const afterSite =
    (call: Call): Call =>
    async (...args) => {
      await fresh.site();
      return call(...args);
    };
  const afterEntry =
    <Args extends unknown[], T>(read: (entryId: string, ...args: Args) => Promise<T>) =>
    async (entryId: string, ...args: Args): Promise<T> => {
      await fresh.entry(entryId);
      return read(entryId, ...args);
    };
  /** Looks at what is here by that name or, where nothing is, at all that is new there. */
  async function lookAt(entry: Entry | null): Promise<void> {
    await (entry === null ? fresh.site() : fresh.entry(entry.id));
  }
  return {
    ...base,
    ...wrapped(base, WRITES, told),
    ...wrapped(base, UNDOS, toldAfterLook),
    ...wrapped(base, SITE_READS, afterSite),
    assets: {
      ...base.assets,
      ...wrapped(base.assets, ['list'], afterSite),
      ...wrapped(base.assets, ASSET_WRITES, told),
    },
    async revisionOf(document) {
      await fresh.site();
      return base.revisionOf(document);
    },
    capabilities: () => capabilitiesFor(abilities, base.capabilities()),
    refOf: (entry) => ({ ...base.refOf(entry), backend: BACKEND }),
    async editUrl({ id }) {
      const link = await mirror.link(id);
      return link && editAddress(siteUrl, link);
    },
    async cautions({ id, type, draft, published }) {
      const link = await mirror.link(id);
      const takesSeo = Boolean(knownEntryOf(link)?.fields?.seo);
      const asset = draft.image === undefined ? null : linkedAsset(draft.image);
      const cover = asset === null ? null : ((await mirror.link(asset))?.remoteId ?? null);
      const name = link && (await site.client.entries.openBy(link.remoteId).catch(() => null));
      const open = `${name} has ${quotedTitle(draft.title)} open in WordPress's editor: saving it there replaces what is written here meanwhile.`;
      return [
        ...(name === null ? [] : [open]),
        ...(await replacedWarning(mirror, id, { draft, published })),
        ...(await reusableNotes(mirror, link)),
        ...keptNote(keptHere(type, published, draft, cover, takesSeo)),
      ];
    },
    look: (entry, roots) => realLook(site, entry, roots),
    lookFile: (path, roots) => lookFile(site, path, roots),
    async referencesTo(target) {
      await fresh.site();
      return [...(await base.referencesTo(target)), ...(await blockReferences(mirror, target.id))];
    },
    async patch(entryId, operations, origin, options) {
      const changed = await tell(await base.patch(entryId, operations, origin, options));
      if (options?.dryRun === true) await requireWritable(site, changed.entry);
      return changed;
    },
    async publish(...args) {
      const published = await tell(await base.publish(...args));
      // It is published, whatever can be told of it.
      const replaced = await replacedNote(mirror, published).catch(() => []);
      return replaced.length === 0 ? published : { ...published, notes: [...(published.notes ?? []), ...replaced] };
    },
    async setNavigation(items, origin, options) {
      // A menu is replaced as a whole: only the one that was read, never one that is found there by this write.
      const ifRevision = options?.ifRevision ?? (await base.revisionOf('navigation'));
      return tell(await base.setNavigation(items, origin, { ...options, ifRevision }));
    },
    validate: afterEntry(async (entryId) => {
      const entry = await mirror.entry(entryId);
      const replaced = entry === null ? [] : await replacedWarning(mirror, entryId, entry);
      return [
        ...(await base.validate(entryId)),
        ...replaced.map((message) => ({ path: 'published', message, severity: 'warning' as const })),
      ];
    }),
    versions: afterEntry(async (entryId) => [...(await base.versions(entryId)), ...(await own.list(entryId))]),
    version: afterEntry((entryId, revision: number) =>
      revision > 0 ? base.version(entryId, revision) : own.document(entryId, revision),
    ),
    async restoreVersion(entryId, revision, origin, options) {
      if (revision > 0) return tell(await base.restoreVersion(entryId, revision, origin, options));
      const { draft } = await base.get(entryId);
      const operations = diffDocuments(draft, await own.document(entryId, revision));
      return tell(await base.patch(entryId, operations, origin, options));
    },
    async find(ref, type) {
      await lookAt(await base.find(ref, type));
      return base.find(ref, type);
    },
    async get(ref: string, type?: EntryType) {
      await lookAt(await base.find(ref, type));
      return base.get(ref, type);
    },
    async getBySection(sectionId) {
      const [owner] = await mirror.sectionOwners([sectionId]);
      await (owner === undefined ? fresh.site() : fresh.entry(owner.entryId));
      return base.getBySection(sectionId);
    },
    async findByPath(path, state) {
      const found = await base.findByPath(path, state);
      await lookAt(found?.kind === 'entry' ? found.entry : null);
      return base.findByPath(path, state);
    },
  };
}

/** Reads the bytes of pictures; those that nobody has asked for yet are fetched from WordPress, and kept. */
function createFileReader(
  { mirror, client, now }: SiteAccess,
  preparePicture: PreparePicture | undefined,
): Mirror['assetFile'] {
  const fetching = new Map<string, Promise<void>>();

  async function fetchFile(hash: string): Promise<void> {
    const link = await mirror.linkByHash(hash);
    const known = knownAssetOf(link);
    if (known === null || preparePicture === undefined) return;
    const bytes = await client.media.download({ sourceUrl: known.address }, MAX_PICTURE_BYTES);
    const { data, thumbnail } = await preparePicture(bytes, known.address.split('/').at(-1) ?? 'picture');
    await mirror.write((tx) => tx.keepAssetFile({ hash, data, thumbnail }, now()));
  }

  return async (hash, size) => {
    const kept = await mirror.assetFile(hash, size);
    if (kept !== null) return kept;
    const fetched = fetching.get(hash) ?? fetchFile(hash).finally(() => fetching.delete(hash));
    fetching.set(hash, fetched);
    await fetched;
    return mirror.assetFile(hash, size);
  };
}
