import type { ContentBackend } from '#server/site/content-backend';
import type { SiteCapabilities } from '#server/core/site/site-capabilities';
import { linkedAsset } from '#server/site/entry-links';
import { keptHere, keptNote } from '#server/wordpress/mirror/entry-plan';
import type { Freshness } from '#server/wordpress/freshness';
import { knownEntryOf, type SiteAccess } from '#server/wordpress/mirror/mirror';
import {
  bookOf,
  draftContent,
  editAddress,
  filteredParts,
  filteredReason,
  requireWritable,
} from '#server/wordpress/draft-content';
import { keptDate, type OwnRevisions } from '#server/wordpress/mirror/entry-history';
import { themeFile, themePreview } from '#server/wordpress/theme-preview';
import { replacedNote, replacedWarning } from '#server/wordpress/replaced-text-warnings';
import { blockReferences, reusableNotes } from '#server/wordpress/reusable-blocks';
import { unreadPlaces } from '#server/wordpress/unread-places';
import { visitorAddress } from '#server/wordpress/mirror/visitor-address';
import type { Entry, EntryType } from '#server/core/site/content';
import type { WriteOptions } from '#server/core/site/changes';
import { diffDocuments } from '#server/site/diff-documents';
import { notesFrom, textsOfNotes } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

const BACKEND = 'wordpress';

/** WordPress itself redirects only old addresses of posts; redirects that editors enter are not possible. */
const MISSING_CAPABILITIES: Partial<SiteCapabilities> = { redirects: false };

/** Abilities of the connected user. `canSetSeo` is absent until a connection test has looked for a SEO plugin. */
export interface UserAbilities {
  readonly canUpload: boolean;
  readonly canSetSettings: boolean;
  readonly canSetNavigation: boolean;
  readonly canSetSeo?: boolean | undefined;
}

function capabilitiesFor(
  { canUpload, canSetSettings, canSetNavigation, canSetSeo = false }: UserAbilities,
  base: SiteCapabilities,
): SiteCapabilities {
  const { assets } = base;
  const user = { settings: canSetSettings, navigation: canSetNavigation, seo: canSetSeo, assets: assets && canUpload };
  return { ...base, ...MISSING_CAPABILITIES, ...user, backend: BACKEND };
}

/** Methods that undo: their dry runs must find what the real write would find. */
const UNDOS = ['undo', 'undoAll', 'restoreTo'] as const satisfies readonly (keyof ContentBackend)[];
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

/**
 * Wraps some methods of an object. The types do not change: a wrapper has the parameters and the result of its method.
 */
function wrapped<T extends object, Name extends keyof T>(
  target: T,
  names: readonly Name[],
  wrap: (call: Call) => Call,
): Pick<T, Name> {
  const methods = names.map((name) => [name, wrap((target[name] as Call).bind(target))] as const);
  return Object.fromEntries(methods) as unknown as Pick<T, Name>;
}

/**
 * The CMS adapter of a mirrored WordPress site. It applies the rules of the embedded backend to the mirror. Before a
 * read, the mirror takes over changes from WordPress. A new method of `ContentBackend` that reads must be added here or
 * to a list above: otherwise it reads the mirror without a refresh.
 * @param base the embedded backend over the mirrored store
 * @param own the revisions that WordPress itself stores
 */
export function createWordPressBackend(
  base: ContentBackend,
  site: SiteAccess,
  fresh: Freshness,
  own: OwnRevisions,
  abilities: UserAbilities,
): ContentBackend {
  const { mirror, siteUrl } = site;
  const dryRunAfterSite =
    (call: Call): Call =>
    async (...args) => {
      const { dryRun = false } = (args.at(-1) ?? {}) as WriteOptions;
      if (dryRun) await fresh.site();
      return call(...args);
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
  /** Takes over the changes of an entry from WordPress; null (no entry was found): those of the whole site. */
  async function refresh(entry: Entry | null): Promise<void> {
    await (entry === null ? fresh.site() : fresh.entry(entry.id));
  }
  return {
    ...base,
    ...wrapped(base, UNDOS, dryRunAfterSite),
    ...wrapped(base, SITE_READS, afterSite),
    assets: { ...base.assets, ...wrapped(base.assets, ['list'], afterSite) },
    async revisionOf(document) {
      await fresh.site();
      return base.revisionOf(document);
    },
    capabilities: () => capabilitiesFor(abilities, base.capabilities()),
    refOf: (entry) => ({ ...base.refOf(entry), backend: BACKEND }),
    addressOf: async (entry, state) => (await visitorAddress(site, entry, state)) ?? base.pathOf(entry, state),
    async editUrl({ id }) {
      const link = await mirror.link(id);
      return link && editAddress(siteUrl, link);
    },
    async cautions({ id, type, draft, published }) {
      const link = await mirror.link(id);
      const takesSeo = Boolean(knownEntryOf(link)?.fields?.seo);
      const asset = draft.image === undefined ? null : linkedAsset(draft.image);
      const cover = asset === null ? null : ((await mirror.link(asset))?.remoteId ?? null);
      // Cautions are advice: what cannot be read from WordPress now is left out, here and in the next two lines.
      const name = link && (await site.client.entries.openBy(link.remoteId).catch(() => null));
      const content = link && (await draftContent(site, { id, draft }, bookOf(site)).catch(() => null));
      const filtered = content === null ? [] : await filteredParts(site, link!, content.contentRaw).catch(() => []);
      return [
        ...(name === null ? [] : [serverText('wordpress-open', { name, title: shortTitle(draft.title) })]),
        ...(filtered.length === 0 ? [] : [filteredReason(draft.title, filtered)]),
        ...(await replacedWarning(mirror, id, { draft, published })),
        ...(await reusableNotes(mirror, link)),
        ...keptNote(keptHere(type, published, draft, cover, takesSeo)),
      ];
    },
    themePreview: (entry, roots) => themePreview(site, entry, roots),
    themeFile: (path, roots) => themeFile(site, path, roots),
    unreadPlaces: () => unreadPlaces(mirror),
    async referencesTo(target) {
      await fresh.site();
      return [...(await base.referencesTo(target)), ...(await blockReferences(mirror, target.id))];
    },
    async patch(entryId, operations, origin, options) {
      // A dry run must find what the real write would find; that one checks it when the mirror writes to WordPress.
      const isDryRun = options?.dryRun === true;
      const before = isDryRun ? (await base.get(entryId)).draft : null;
      const changed = await base.patch(entryId, operations, origin, options);
      if (before !== null) await requireWritable(site, changed.entry, before);
      return changed;
    },
    async publish(entryId, origin, options) {
      // An entry that was never published here may have been dated in WordPress: it keeps that date, if it is not in
      // the future.
      const { publishedAt } = await base.get(entryId);
      const date = publishedAt === null ? await keptDate(mirror, entryId) : undefined;
      const isPast = date !== undefined && date <= site.now();
      const published = await base.publish(entryId, origin, { ...(isPast && { publishedAt: date }), ...options });
      // The entry is published, even if the notes cannot be collected.
      const replaced = await replacedNote(mirror, published).catch(() => []);
      return { ...published, ...notesFrom([...textsOfNotes(published), ...replaced]) };
    },
    async setNavigation(items, origin, options) {
      // A menu is replaced as a whole: refused if WordPress has a newer one than the menu that was read.
      const ifRevision = options?.ifRevision ?? (await base.revisionOf('navigation'));
      return base.setNavigation(items, origin, { ...options, ifRevision });
    },
    validate: afterEntry(async (entryId) => {
      const entry = await mirror.entry(entryId);
      const replaced = entry === null ? [] : await replacedWarning(mirror, entryId, entry);
      return [
        ...(await base.validate(entryId)),
        ...replaced.map(({ text, ...reason }) => ({
          path: 'published',
          message: text,
          reason,
          severity: 'warning' as const,
        })),
      ];
    }),
    // Negative revisions are WordPress's own, from before the entry was mirrored (see `OwnRevisions`); ours count from
    // 1.
    versions: afterEntry(async (entryId) => [...(await base.versions(entryId)), ...(await own.list(entryId))]),
    version: afterEntry((entryId, revision: number) =>
      revision > 0 ? base.version(entryId, revision) : own.document(entryId, revision),
    ),
    async restoreVersion(entryId, revision, origin, options) {
      if (revision > 0) return base.restoreVersion(entryId, revision, origin, options);
      const { draft } = await base.get(entryId);
      const operations = diffDocuments(draft, await own.document(entryId, revision));
      return base.patch(entryId, operations, origin, options);
    },
    async find(ref, type) {
      await refresh(await base.find(ref, type));
      return base.find(ref, type);
    },
    async get(ref: string, type?: EntryType) {
      await refresh(await base.find(ref, type));
      return base.get(ref, type);
    },
    async getBySection(sectionId) {
      const [owner] = await mirror.sectionOwners([sectionId]);
      await (owner === undefined ? fresh.site() : fresh.entry(owner.entryId));
      return base.getBySection(sectionId);
    },
    async findByPath(path, state) {
      const found = await base.findByPath(path, state);
      await refresh(found?.kind === 'entry' ? found.entry : null);
      return base.findByPath(path, state);
    },
  };
}
