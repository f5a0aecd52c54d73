import type { AssetLibrary, Capabilities, ContentBackend, WriteNotes } from '#server/content/content-backend';
import type { Freshness } from '#server/content/wordpress/freshness';
import type { Mirror } from '#server/content/wordpress/mirror';
import type { MirroredStore } from '#server/content/wordpress/mirrored-store';
import type { OwnRevisions } from '#server/content/wordpress/own-revisions';
import { diffDocuments } from '#server/content/diff-documents';
import type { Entry, EntryType } from '#server/core/content';
import type { SiteAbilities } from '#server/core/remote-site';

const BACKEND = 'wordpress';

/** WordPress itself leads only old addresses of posts on, and has no place for what search engines are told. */
const CANNOT: Partial<Capabilities> = { seo: false, redirects: false };

/** What the user whom we act as may do there. */
export type UserAbilities = Pick<SiteAbilities, 'canUpload' | 'canSetSettings' | 'canSetNavigation'>;

function capabilitiesFor(
  { canUpload, canSetSettings, canSetNavigation }: UserAbilities,
  base: Capabilities,
): Capabilities {
  const { assets } = base;
  const user = { settings: canSetSettings, navigation: canSetNavigation, assets: assets && canUpload };
  return { ...base, ...CANNOT, ...user, backend: BACKEND };
}

/** What a write gave, with what WordPress made of it. */
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

type Writes = Pick<
  ContentBackend,
  | 'create'
  | 'patch'
  | 'publish'
  | 'schedule'
  | 'unpublish'
  | 'discardDraft'
  | 'trash'
  | 'restore'
  | 'restoreVersion'
  | 'setNavigation'
  | 'updateSettings'
  | 'undo'
  | 'undoAll'
>;
type Tell = ReturnType<typeof createTeller>;

/** The writes of the port, with notes. */
function toldWrites(base: ContentBackend, own: OwnRevisions, tell: Tell): Writes {
  return {
    create: async (...args) => tell(await base.create(...args)),
    patch: async (...args) => tell(await base.patch(...args)),
    publish: async (...args) => tell(await base.publish(...args)),
    schedule: async (...args) => tell(await base.schedule(...args)),
    unpublish: async (...args) => tell(await base.unpublish(...args)),
    discardDraft: async (...args) => tell(await base.discardDraft(...args)),
    trash: async (...args) => tell(await base.trash(...args)),
    restore: async (...args) => tell(await base.restore(...args)),
    async restoreVersion(entryId, revision, origin, options) {
      if (revision > 0) return tell(await base.restoreVersion(entryId, revision, origin, options));
      const { draft } = await base.get(entryId);
      const operations = diffDocuments(draft, await own.document(entryId, revision));
      return tell(await base.patch(entryId, operations, origin, options));
    },
    setNavigation: async (...args) => tell(await base.setNavigation(...args)),
    updateSettings: async (...args) => tell(await base.updateSettings(...args)),
    undo: async (...args) => tell(await base.undo(...args)),
    undoAll: async (...args) => tell(await base.undoAll(...args)),
  };
}

function toldAssets(assets: AssetLibrary, tell: Tell, fresh: Freshness): AssetLibrary {
  return {
    ...assets,
    async list(query) {
      await fresh.site();
      return assets.list(query);
    },
    add: async (...args) => tell(await assets.add(...args)),
    update: async (...args) => tell(await assets.update(...args)),
    replace: async (...args) => tell(await assets.replace(...args)),
    trash: async (...args) => tell(await assets.trash(...args)),
    restore: async (...args) => tell(await assets.restore(...args)),
  };
}

/**
 * The port over a mirrored WordPress site: the embedded backend's rules over the mirror, which before it is read takes
 * over what was changed in WordPress, and writes that tell what WordPress made of them.
 * @param base the embedded backend over `store`
 * @param own what WordPress itself remembers
 */
export function createWordPressBackend(
  base: ContentBackend,
  store: MirroredStore,
  mirror: Mirror,
  fresh: Freshness,
  own: OwnRevisions,
  abilities: UserAbilities,
): ContentBackend {
  const tell = createTeller(store, mirror, fresh);
  const afterSite =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await fresh.site();
      return read(...args);
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
    ...toldWrites(base, own, tell),
    assets: toldAssets(base.assets, tell, fresh),
    capabilities: () => capabilitiesFor(abilities, base.capabilities()),
    refOf: (entry) => ({ ...base.refOf(entry), backend: BACKEND }),

    query: afterSite((...args) => base.query(...args)),
    search: afterSite((...args) => base.search(...args)),
    referencesTo: afterSite((...args) => base.referencesTo(...args)),
    navigation: afterSite((...args) => base.navigation(...args)),
    settings: afterSite((...args) => base.settings(...args)),
    tags: afterSite((...args) => base.tags(...args)),
    changes: afterSite((...args) => base.changes(...args)),
    validate: afterEntry((...args) => base.validate(...args)),
    versions: afterEntry(async (entryId) => [...(await base.versions(entryId)), ...(await own.list(entryId))]),
    version: afterEntry((entryId, revision: number) =>
      revision > 0 ? base.version(entryId, revision) : own.document(entryId, revision),
    ),
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
