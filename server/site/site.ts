import type {
  EntryQuery,
  NewEntry,
  PatchOptions,
  DocumentWriteOptions,
  PublishOptions,
  UnreadPlace,
  EntryPatch,
  EntriesChange,
  Undone,
  ChangesQuery,
  StandingState,
  UndoSelection,
  RestoreSelection,
  PastSite,
  PathMatch,
  SiteDocuments,
  SitePublishing,
  SiteConfiguration,
  SiteJournal,
  ContentBackend,
} from '#server/site/content-backend';
import type { AssetLibrary } from '#server/site/asset-library';
import { entryDifferences } from '#server/site/field-changes';
import type { SearchHit } from '#server/site/text/search-entries';
import type { TextQuery } from '#server/site/text/text-places';
import type {
  Entry,
  EntryDocument,
  EntryStatus,
  EntryType,
  HiddenMenuItem,
  NavigationItem,
  PatchOp,
  Redirect,
  Ref,
  Reference,
  SiteSettings,
  ValidationIssue,
  Target,
} from '#server/core/site/content';
import type { DesignPatch, DesignState } from '#server/core/site/design/design';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type {
  ComparedVersions,
  ChangeOrigin,
  ChangeSet,
  EntryChange,
  Publication,
  RestoreOutcome,
  UndoOutcome,
  Version,
  WriteNotes,
  WriteOptions,
  DryRunOption,
  FieldChange,
} from '#server/core/site/changes';
import type { CmsTheme, ThemeFile, ThemeRoots } from '#server/core/site/theme';
import type { ChangeDetail, EntryPage } from '#server/core/site/site-lists';
import type { SiteCapabilities } from '#server/core/site/site-capabilities';
import type { TypeDetail, TypeSummary } from '#server/core/site/type-descriptions';
import type { ServerText } from '#server/core/coded-message';

/** The parts of a site. A whole site is also each of its parts. */
export interface SiteParts {
  capabilities(): SiteCapabilities;
  /** See ContentBackend.draftsOnly. */
  draftsOnly(): ContentBackend;
  readonly documents: SiteDocuments;
  readonly publishing: SitePublishing;
  readonly configuration: SiteConfiguration;
  readonly journal: SiteJournal;
  readonly assets: AssetLibrary;
}

/** The parts of a site that is given as a whole. */
export function partsOf(site: ContentBackend): SiteParts {
  return {
    capabilities: () => site.capabilities(),
    draftsOnly: () => site.draftsOnly(),
    documents: site,
    publishing: site,
    configuration: site,
    journal: site,
    get assets() {
      return site.assets;
    },
  };
}

/**
 * A site as one object over its parts. A class that changes something about a site, such as what a write checks first,
 * extends it and overrides these methods.
 */
export class Site implements ContentBackend {
  readonly #parts: () => SiteParts;

  /** @param parts returns the current parts; called with each method. It may throw, and so do the methods then */
  constructor(parts: () => SiteParts) {
    this.#parts = parts;
  }

  get assets(): AssetLibrary {
    return this.#parts().assets;
  }

  capabilities(): SiteCapabilities {
    return this.#parts().capabilities();
  }

  draftsOnly(): ContentBackend {
    return this.#parts().draftsOnly();
  }

  types(): Promise<{ entries: readonly TypeSummary[]; sections: readonly TypeSummary[] }> {
    return this.#parts().documents.types();
  }

  type(name: string): Promise<TypeDetail> {
    return this.#parts().documents.type(name);
  }

  query(query: EntryQuery): Promise<EntryPage> {
    return this.#parts().documents.query(query);
  }

  statusCounts(type: EntryType): Promise<Record<EntryStatus, number>> {
    return this.#parts().documents.statusCounts(type);
  }

  find(ref: string, type?: EntryType): Promise<Entry | null> {
    return this.#parts().documents.find(ref, type);
  }

  get(ref: string, type?: EntryType): Promise<Entry> {
    return this.#parts().documents.get(ref, type);
  }

  getBySection(sectionId: string): Promise<Entry> {
    return this.#parts().documents.getBySection(sectionId);
  }

  refOf(entry: Entry): Ref {
    return this.#parts().documents.refOf(entry);
  }

  findByPath(path: string, state: 'published' | 'draft'): Promise<PathMatch | null> {
    return this.#parts().documents.findByPath(path, state);
  }

  hiddenMenuItems(state: 'published' | 'draft'): Promise<HiddenMenuItem[]> {
    return this.#parts().documents.hiddenMenuItems(state);
  }

  pathOf(entry: Entry, state: 'published' | 'draft'): Promise<string> {
    return this.#parts().documents.pathOf(entry, state);
  }

  addressOf(entry: Entry, state: 'published' | 'draft'): Promise<string> {
    return this.#parts().documents.addressOf(entry, state);
  }

  previewUrl(entry: Entry): Promise<string> {
    return this.#parts().documents.previewUrl(entry);
  }

  editUrl(entry: Entry): Promise<string | null> {
    return this.#parts().documents.editUrl(entry);
  }

  themePreview(entry: Entry, roots: ThemeRoots): Promise<CmsTheme | null> {
    return this.#parts().documents.themePreview(entry, roots);
  }

  themeFile(path: string, roots: ThemeRoots): Promise<ThemeFile> {
    return this.#parts().documents.themeFile(path, roots);
  }

  cautions(entry: Entry): Promise<readonly ServerText[]> {
    return this.#parts().documents.cautions(entry);
  }

  search(query: { text: string; type?: EntryType | undefined; limit?: number | undefined }): Promise<SearchHit[]> {
    return this.#parts().documents.search(query);
  }

  entriesWith(text: string | TextQuery, type?: EntryType): Promise<Entry[]> {
    return this.#parts().documents.entriesWith(text, type);
  }

  unreadPlaces(): Promise<readonly UnreadPlace[]> {
    return this.#parts().documents.unreadPlaces();
  }

  referencesTo(target: Target): Promise<Reference[]> {
    return this.#parts().documents.referencesTo(target);
  }

  create(entry: NewEntry, origin: ChangeOrigin, options?: DryRunOption): Promise<EntryChange> {
    return this.#parts().documents.create(entry, origin, options);
  }

  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange> {
    return this.#parts().documents.patch(entryId, operations, origin, options);
  }

  patchAll(patches: readonly EntryPatch[], origin: ChangeOrigin, options?: DryRunOption): Promise<EntriesChange> {
    return this.#parts().documents.patchAll(patches, origin, options);
  }

  validate(entryId: string): Promise<ValidationIssue[]> {
    return this.#parts().documents.validate(entryId);
  }

  trash(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#parts().documents.trash(entryId, origin, options);
  }

  restore(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#parts().documents.restore(entryId, origin, options);
  }

  redirects(): Promise<Redirect[]> {
    return this.#parts().documents.redirects();
  }

  tags(type?: EntryType): Promise<{ tag: string; count: number }[]> {
    return this.#parts().documents.tags(type);
  }
  authors(): Promise<{ author: string; count: number }[]> {
    return this.#parts().documents.authors();
  }

  publish(entryId: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication> {
    return this.#parts().publishing.publish(entryId, origin, options);
  }

  schedule(
    entryId: string,
    publishAt: number | null,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange> {
    return this.#parts().publishing.schedule(entryId, publishAt, origin, options);
  }

  unpublish(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#parts().publishing.unpublish(entryId, origin, options);
  }

  discardDraft(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#parts().publishing.discardDraft(entryId, origin, options);
  }

  navigation(): Promise<NavigationItem[]> {
    return this.#parts().configuration.navigation();
  }

  setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#parts().configuration.setNavigation(items, origin, options);
  }

  settings(): Promise<SiteSettings> {
    return this.#parts().configuration.settings();
  }

  revisionOf(document: 'navigation' | 'settings'): Promise<number> {
    return this.#parts().configuration.revisionOf(document);
  }

  updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#parts().configuration.updateSettings(patch, origin, options);
  }

  design(): Promise<DesignState> {
    return this.#parts().configuration.design();
  }

  updateDesign(
    patch: DesignPatch,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#parts().configuration.updateDesign(patch, origin, options);
  }

  standingInstructions(): Promise<StandingState> {
    return this.#parts().configuration.standingInstructions();
  }

  setStandingInstructions(
    instructions: StandingInstructions,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    return this.#parts().configuration.setStandingInstructions(instructions, origin, options);
  }

  versions(entryId: string): Promise<Version[]> {
    return this.#parts().journal.versions(entryId);
  }

  version(entryId: string, revision: number): Promise<EntryDocument> {
    return this.#parts().journal.version(entryId, revision);
  }

  differences(entry: Entry, versions: ComparedVersions): Promise<FieldChange[]> {
    return entryDifferences(this, entry, versions);
  }

  restoreVersion(
    entryId: string,
    revision: number,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange> {
    return this.#parts().journal.restoreVersion(entryId, revision, origin, options);
  }

  changes(query: ChangesQuery): Promise<ChangeSet[]> {
    return this.#parts().journal.changes(query);
  }

  change(changeId: string): Promise<ChangeDetail> {
    return this.#parts().journal.change(changeId);
  }

  newestStanding(sessionId: string): Promise<ChangeSet | null> {
    return this.#parts().journal.newestStanding(sessionId);
  }

  undo(changeId: string | undefined, origin: ChangeOrigin, options?: DryRunOption): Promise<Undone> {
    return this.#parts().journal.undo(changeId, origin, options);
  }

  undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options?: { partial?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<UndoOutcome & WriteNotes> {
    return this.#parts().journal.undoAll(selection, origin, options);
  }

  at(changeId: string): Promise<PastSite> {
    return this.#parts().journal.at(changeId);
  }

  restoreTo(
    changeId: string,
    selection: RestoreSelection,
    origin: ChangeOrigin,
    options?: { overOthers?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<RestoreOutcome> {
    return this.#parts().journal.restoreTo(changeId, selection, origin, options);
  }
}
