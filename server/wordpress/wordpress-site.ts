import type { AssetLibrary } from '#server/site/asset-library';
import type {
  ChangesQuery,
  ContentBackend,
  DocumentWriteOptions,
  EntryQuery,
  PatchOptions,
  PathMatch,
  PublishOptions,
  RestoreSelection,
  Undone,
  UndoSelection,
  UnreadPlace,
} from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import type { SearchHit } from '#server/site/text/search-entries';
import type { TextQuery } from '#server/site/text/text-places';
import type { CmsTheme, ThemeFile, ThemeRoots } from '#server/core/site/theme';
import type { EntryPage } from '#server/core/site/site-lists';
import type { ServerText } from '#server/core/coded-message';
import { ForbiddenError, InvalidInputError } from '#server/core/errors';
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
import type {
  Entry,
  EntryDocument,
  EntryStatus,
  EntryType,
  NavigationItem,
  PatchOp,
  Ref,
  Reference,
  SiteSettings,
  Target,
  ValidationIssue,
} from '#server/core/site/content';
import type {
  ChangeOrigin,
  ChangeSet,
  DryRunOption,
  EntryChange,
  Publication,
  RestoreOutcome,
  UndoOutcome,
  Version,
  WriteNotes,
  WriteOptions,
} from '#server/core/site/changes';
import { diffDocuments } from '#server/site/diff-documents';
import { notesFrom, textsOfNotes } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

const BACKEND = 'wordpress';

/** WordPress itself redirects only old addresses of posts; redirects that editors enter are not possible. */
const MISSING_CAPABILITIES: Partial<SiteCapabilities> = { redirects: false, design: false };

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

/** What a WordPressSite is made of. */
export interface WordPressSiteParts {
  /** The rules of the embedded site, over the mirrored store. */
  readonly base: ContentBackend;
  readonly site: SiteAccess;
  readonly fresh: Freshness;
  /** The revisions that WordPress itself stores. */
  readonly own: OwnRevisions;
  readonly abilities: UserAbilities;
  /** The same site for callers who may only change drafts. Default: this site is already limited to drafts. */
  readonly drafts?: ContentBackend;
}

const PICTURES_ARE_PUBLIC = serverText('wordpress-pictures-public');

/**
 * The CMS adapter of a mirrored WordPress site. It applies the rules of the embedded site to the mirror. Before a read, the
 * mirror takes over changes from WordPress. A new method of `ContentBackend` that reads must be overridden here: otherwise
 * it reads the mirror without a refresh. A test lists the methods that are not.
 */
export class WordPressSite extends Site {
  readonly #parts: WordPressSiteParts;
  readonly #site: SiteAccess;
  readonly #fresh: Freshness;
  readonly #assets: AssetLibrary;

  constructor(parts: WordPressSiteParts) {
    const { base, site, fresh } = parts;
    super(() => partsOf(base));
    this.#parts = parts;
    this.#site = site;
    this.#fresh = fresh;
    this.#assets = {
      ...base.assets,
      async list(query) {
        await fresh.site();
        return base.assets.list(query);
      },
      ...(parts.drafts === undefined && { add: () => Promise.reject(new ForbiddenError(PICTURES_ARE_PUBLIC)) }),
    };
  }

  override get assets(): AssetLibrary {
    return this.#assets;
  }

  override capabilities(): SiteCapabilities {
    return capabilitiesFor(this.#parts.abilities, super.capabilities());
  }

  override draftsOnly(): ContentBackend {
    return this.#parts.drafts ?? this;
  }

  override refOf(entry: Entry): Ref {
    return { ...super.refOf(entry), backend: BACKEND };
  }

  override async addressOf(entry: Entry, state: 'published' | 'draft'): Promise<string> {
    return (await visitorAddress(this.#site, entry, state)) ?? super.pathOf(entry, state);
  }

  override async editUrl({ id }: Entry): Promise<string | null> {
    const link = await this.#site.mirror.link(id);
    return link && editAddress(this.#site.siteUrl, link);
  }

  override async cautions({ id, type, draft, published }: Entry): Promise<readonly ServerText[]> {
    const site = this.#site;
    const { mirror } = site;
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
  }

  override themePreview(entry: Entry, roots: ThemeRoots): Promise<CmsTheme | null> {
    return themePreview(this.#site, entry, roots);
  }

  override themeFile(path: string, roots: ThemeRoots): Promise<ThemeFile> {
    return themeFile(this.#site, path, roots);
  }

  override unreadPlaces(): Promise<readonly UnreadPlace[]> {
    return unreadPlaces(this.#site.mirror);
  }

  override async query(query: EntryQuery): Promise<EntryPage> {
    await this.#fresh.site();
    return super.query(query);
  }

  override async statusCounts(type: EntryType): Promise<Record<EntryStatus, number>> {
    await this.#fresh.site();
    return super.statusCounts(type);
  }

  override async search(query: {
    text: string;
    type?: EntryType | undefined;
    limit?: number | undefined;
  }): Promise<SearchHit[]> {
    await this.#fresh.site();
    return super.search(query);
  }

  override async entriesWith(text: string | TextQuery, type?: EntryType): Promise<Entry[]> {
    await this.#fresh.site();
    return super.entriesWith(text, type);
  }

  override async tags(type?: EntryType): Promise<{ tag: string; count: number }[]> {
    await this.#fresh.site();
    return super.tags(type);
  }

  override async authors(): Promise<{ author: string; count: number }[]> {
    await this.#fresh.site();
    return super.authors();
  }

  override async referencesTo(target: Target): Promise<Reference[]> {
    await this.#fresh.site();
    return [...(await super.referencesTo(target)), ...(await blockReferences(this.#site.mirror, target.id))];
  }

  override async find(ref: string, type?: EntryType): Promise<Entry | null> {
    await this.#refresh(await super.find(ref, type));
    return super.find(ref, type);
  }

  override async get(ref: string, type?: EntryType): Promise<Entry> {
    await this.#refresh(await super.find(ref, type));
    return super.get(ref, type);
  }

  override async getBySection(sectionId: string): Promise<Entry> {
    const [owner] = await this.#site.mirror.sectionOwners([sectionId]);
    await (owner === undefined ? this.#fresh.site() : this.#fresh.entry(owner.entryId));
    return super.getBySection(sectionId);
  }

  override async findByPath(path: string, state: 'published' | 'draft'): Promise<PathMatch | null> {
    const found = await super.findByPath(path, state);
    await this.#refresh(found?.kind === 'entry' ? found.entry : null);
    return super.findByPath(path, state);
  }

  override async validate(entryId: string): Promise<ValidationIssue[]> {
    await this.#fresh.entry(entryId);
    const { mirror } = this.#site;
    const entry = await mirror.entry(entryId);
    const replaced = entry === null ? [] : await replacedWarning(mirror, entryId, entry);
    return [
      ...(await super.validate(entryId)),
      ...replaced.map(({ text, ...reason }) => ({
        path: 'published',
        message: text,
        reason,
        severity: 'warning' as const,
      })),
    ];
  }

  override async patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange> {
    // A dry run must find what the real write would find; that one checks it when the mirror writes to WordPress.
    const isDryRun = options?.dryRun === true;
    const before = isDryRun ? (await super.get(entryId)).draft : null;
    const changed = await super.patch(entryId, operations, origin, options);
    if (before !== null) await requireWritable(this.#site, changed.entry, before);
    return changed;
  }

  override async publish(entryId: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication> {
    const { mirror, now } = this.#site;
    // An entry that was never published here may have been dated in WordPress: it keeps that date, if it is not in the
    // future.
    const { publishedAt } = await super.get(entryId);
    const date = publishedAt === null ? await keptDate(mirror, entryId) : undefined;
    const isPast = date !== undefined && date <= now();
    const published = await super.publish(entryId, origin, { ...(isPast && { publishedAt: date }), ...options });
    // The entry is published, even if the notes cannot be collected.
    const replaced = await replacedNote(mirror, published).catch(() => []);
    return { ...published, ...notesFrom([...textsOfNotes(published), ...replaced]) };
  }

  override async navigation(): Promise<NavigationItem[]> {
    await this.#fresh.site();
    return super.navigation();
  }

  override async settings(): Promise<SiteSettings> {
    await this.#fresh.site();
    return super.settings();
  }

  override async revisionOf(document: 'navigation' | 'settings'): Promise<number> {
    await this.#fresh.site();
    return super.revisionOf(document);
  }

  override async setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    // A menu is replaced as a whole: refused if WordPress has a newer one than the menu that was read.
    const ifRevision = options?.ifRevision ?? (await super.revisionOf('navigation'));
    return super.setNavigation(items, origin, { ...options, ifRevision });
  }

  // The theme of WordPress decides how the site looks.
  override updateDesign(): Promise<never> {
    return Promise.reject(new InvalidInputError(serverText('design-not-here')));
  }

  override async changes(query: ChangesQuery): Promise<ChangeSet[]> {
    await this.#fresh.site();
    return super.changes(query);
  }

  // Negative revisions are WordPress's own, from before the entry was mirrored (see `OwnRevisions`); ours count from 1.
  override async versions(entryId: string): Promise<Version[]> {
    await this.#fresh.entry(entryId);
    return [...(await super.versions(entryId)), ...(await this.#parts.own.list(entryId))];
  }

  override async version(entryId: string, revision: number): Promise<EntryDocument> {
    await this.#fresh.entry(entryId);
    return revision > 0 ? super.version(entryId, revision) : this.#parts.own.document(entryId, revision);
  }

  override async restoreVersion(
    entryId: string,
    revision: number,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange> {
    if (revision > 0) return super.restoreVersion(entryId, revision, origin, options);
    const { draft } = await super.get(entryId);
    const operations = diffDocuments(draft, await this.#parts.own.document(entryId, revision));
    return super.patch(entryId, operations, origin, options);
  }

  override async undo(changeId: string | undefined, origin: ChangeOrigin, options?: DryRunOption): Promise<Undone> {
    await this.#refreshForDryRun(options);
    return super.undo(changeId, origin, options);
  }

  override async undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options?: { partial?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<UndoOutcome & WriteNotes> {
    await this.#refreshForDryRun(options);
    return super.undoAll(selection, origin, options);
  }

  override async restoreTo(
    changeId: string,
    selection: RestoreSelection,
    origin: ChangeOrigin,
    options?: { overOthers?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<RestoreOutcome> {
    await this.#refreshForDryRun(options);
    return super.restoreTo(changeId, selection, origin, options);
  }

  /** Takes over the changes of an entry from WordPress; null (no entry was found): those of the whole site. */
  async #refresh(entry: Entry | null): Promise<void> {
    await (entry === null ? this.#fresh.site() : this.#fresh.entry(entry.id));
  }

  /** A dry run of an undo must find what the real write would find. */
  async #refreshForDryRun(options: DryRunOption = {}): Promise<void> {
    if (options.dryRun === true) await this.#fresh.site();
  }
}
