import type { AssetLibrary } from '#server/site/asset-library';
import type { SearchHit } from '#server/site/text/search-entries';
import type { TextQuery } from '#server/site/text/text-places';
import type { WriteConditions } from '#server/site/concurrent-changes';
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
  SectionType,
  SiteSettings,
  ValidationIssue,
  Target,
} from '#server/core/site/content';
import type { Design, DesignPatch, DesignState } from '#server/core/site/design/design';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type {
  ComparedVersions,
  ChangeActor,
  ChangeOrigin,
  ChangeSet,
  ChangeTarget,
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
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';

/** Filter, order and page of a list of entries. */
export interface EntryQuery {
  readonly type?: EntryType | undefined;
  /**
   * `draft` (default): all live entries in the state that is being edited. `published`: the versions that visitors see.
   * `trashed`: the trash.
   */
  readonly state?: 'draft' | 'published' | 'trashed' | undefined;
  readonly status?: EntryStatus | undefined;
  /** Only scheduled publications, overdue ones included. */
  readonly scheduled?: boolean | undefined;
  readonly tag?: string | undefined;
  /** Id of a page: its children. Null: entries without a parent. */
  readonly parent?: string | null | undefined;
  /** Words in the title, slug or excerpt. */
  readonly text?: string | undefined;
  /** Words in the title, slug, excerpt, tags or the texts of sections; accents do not count. Items have their `match`. */
  readonly search?: string | undefined;
  /** Author as the entry names it. */
  readonly author?: string | undefined;
  /** Time of the last edit (for `published`, of the last change that visitors saw): from, and before; epoch milliseconds. */
  readonly updatedFrom?: number | undefined;
  readonly updatedBefore?: number | undefined;
  /** Default: `relevance` for a `search`, `published` for the published state, else `updated`. */
  readonly sort?: 'relevance' | 'updated' | 'created' | 'published' | 'scheduled' | 'title' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** Fields of the document to return. */
  readonly select?: readonly (keyof EntryDocument)[] | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page of the same query. */
  readonly cursor?: string | undefined;
}

/** An entry to create. */
export interface NewEntry {
  readonly type: EntryType;
  readonly title: string;
  /** Created from the title if omitted; a taken slug is a ConflictError. */
  readonly slug?: string | undefined;
  readonly excerpt?: string | undefined;
  readonly author?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly image?: string | undefined;
  /** Id of the parent page; only for pages. */
  readonly parent?: string | undefined;
  readonly seo?: EntryDocument['seo'];
  /** Terms of other taxonomies than tags, by taxonomy; only connected sites have them. */
  readonly terms?: EntryDocument['terms'];
  readonly sections?:
    | readonly { readonly type: SectionType; readonly fields: EntryDocument['sections'][number]['fields'] }[]
    | undefined;
}

/** Options of a change to fields and sections. */
export interface PatchOptions extends DryRunOption, WriteConditions {
  /**
   * Id of an earlier change that this write continues, as in typing: both become one change in the journal. The write
   * becomes a separate change if the earlier one is older than a minute, belongs to another person or to other fields, is
   * undone, or is not the newest of the entry.
   */
  readonly joins?: string | undefined;
  /** Its summary in the journal; default: generated from the operations. */
  readonly summary?: ServerText | undefined;
}

/** Options of a change to the menu, the settings or the design. */
export interface DocumentWriteOptions extends WriteOptions {
  /** See WriteConditions. */
  readonly seen?: WriteConditions['seen'];
  /** For the design: also publishes its draft, as one change. */
  readonly isPublished?: boolean | undefined;
}

/** Options of a publication; `publishedAt` and `formerPaths` are for entries that were first published elsewhere. */
export interface PublishOptions extends WriteOptions {
  /** First publication, epoch milliseconds, in the past; it remains the date of the entry. Default: now. */
  readonly publishedAt?: number | undefined;
  /** Former paths (`/2010/05/old-name`), which redirect to the entry if the CMS supports it (`redirects`). */
  readonly formerPaths?: readonly string[] | undefined;
  /** Publishes the scheduled version instead of the draft: later changes remain a draft. */
  readonly asScheduled?: boolean | undefined;
}

/** Text of a connected site that is not read, so that neither a search nor a replacement finds it. */
export interface UnreadPlace {
  /**
   * `plugin-fields`: fields that the CMS's API does not show. `theme`: header, footer, sidebars and templates.
   * `footnotes`: texts of footnotes. `pattern-overrides`: text that an entry sets in a shared pattern. `page-builder`:
   * entries whose text the CMS has at best as a copy.
   */
  readonly code: 'plugin-fields' | 'theme' | 'footnotes' | 'pattern-overrides' | 'page-builder';
  /** Titles of the affected entries; absent: it may be anywhere on the site. */
  readonly titles?: readonly string[];
}

/** The part of an edit of several entries that concerns one of them. */
export interface EntryPatch extends WriteConditions {
  readonly entryId: string;
  readonly operations: readonly PatchOp[];
  /** Its summary in the journal; default: generated from the operations. */
  readonly summary?: ServerText | undefined;
}

/** Result of an edit of several entries, in the order of the patches. */
export interface EntriesChange extends WriteNotes {
  readonly changes: readonly Omit<EntryChange, 'notes' | 'noteMessages'>[];
}

/** An undone change, with the other changes of its edit. */
export interface Undone extends ChangeSet, WriteNotes {
  /** The other changes of its edit, which were undone, too; absent if it was the only one. */
  readonly together?: readonly ChangeSet[] | undefined;
}

/** Filter and page of the journal. */
export interface ChangesQuery {
  readonly targetId?: string | undefined;
  readonly targetType?: ChangeTarget | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly actor?: ChangeActor | undefined;
  /** Id of a change: only earlier ones. */
  readonly before?: string | undefined;
  /** Id of a change: only later ones, the oldest first. */
  readonly after?: string | undefined;
  /** Adds changes that people made outside of any session since this time; epoch milliseconds. */
  readonly handSince?: number | undefined;
  /** Default 50. An adapter may return fewer changes than requested. */
  readonly limit?: number | undefined;
}

/** The standing instructions with their revision. */
export interface StandingState extends StandingInstructions {
  /** Number of writes; 0: not written yet. */
  readonly revision: number;
}

/** Undoes the changes of a session that are in effect: all, or those of some turns. */
export interface SessionUndoSelection {
  readonly sessionId: string;
  readonly turnIds?: readonly string[] | undefined;
}

/** Undoes changes by their ids. */
export interface ChangeUndoSelection {
  readonly changeIds: readonly string[];
  /** True: also undoes all later changes in the same places. */
  readonly along: boolean;
}

/** Which changes `undoAll` undoes. */
export type UndoSelection = SessionUndoSelection | ChangeUndoSelection;

/** What `restoreTo` restores: one target, or all targets that a session has changed since. */
export type RestoreSelection =
  | { readonly targetId: string }
  | { readonly targetId?: undefined; readonly sessionId: string };

/** The site immediately after a change. */
export interface PastSite {
  readonly change: ChangeSet;
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  /** Draft of the design; null: none was stored. */
  readonly design: Design | null;
  /** Drafts of posts without their sections: unpublished posts first, then the newest; at most 100. */
  readonly posts: readonly {
    readonly id: string;
    readonly document: EntryDocument;
    readonly publishedAt: number | null;
  }[];
  /** Looks up the path of a draft. */
  readonly find: (path: string) => Promise<PastMatch | null>;
  /** Version of the bytes that a picture had; null: the bytes have not changed since, or the picture did not exist. */
  readonly formerPicture: (id: string) => Promise<string | null>;
}

/** Result of looking up a path in a PastSite. */
export type PastMatch =
  | {
      readonly kind: 'entry';
      readonly entry: {
        readonly id: string;
        readonly type: EntryType;
        readonly document: EntryDocument;
        readonly publishedAt: number | null;
      };
    }
  | { readonly kind: 'redirect'; readonly to: string };

/**
 * Result of looking up a path: an entry; the address to which the path redirects (a path, or a whole address that a person
 * chose); or `gone`: an entry was published there once and no longer is.
 */
export type PathMatch =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'gone' };

/** The entries of a site: its pages and posts, what they contain, and where they are. */
export interface SiteDocuments {
  /** Types of entries and of sections, with short descriptions. */
  types(): Promise<{ entries: readonly TypeSummary[]; sections: readonly TypeSummary[] }>;
  /** @throws NotFoundError */
  type(name: string): Promise<TypeDetail>;

  /** A page of a list of entries. @throws InvalidInputError for a wrong cursor */
  query(query: EntryQuery): Promise<EntryPage>;
  /** Numbers of live entries by their status. */
  statusCounts(type: EntryType): Promise<Record<EntryStatus, number>>;
  /**
   * Finds an entry by its id, slug, path or title (case-insensitive), tried in this order. Does not find trashed
   * entries.
   */
  find(ref: string, type?: EntryType): Promise<Entry | null>;
  /** Finds an entry as `find` does. @throws NotFoundError that names near matches */
  get(ref: string, type?: EntryType): Promise<Entry>;
  /** The entry whose draft contains this section. @throws NotFoundError */
  getBySection(sectionId: string): Promise<Entry>;
  /** Lasting reference to an entry. */
  refOf(entry: Entry): Ref;
  /** Looks up a path in the state that visitors see (`published`) or in the state that is being edited. */
  findByPath(path: string, state: 'published' | 'draft'): Promise<PathMatch | null>;
  /**
   * Addresses of menu items whose page is not shown: it is in the trash or, for `published`, a draft. Unknown addresses are
   * not among them, because another program may answer there.
   */
  hiddenMenuItems(state: 'published' | 'draft'): Promise<HiddenMenuItem[]>;
  /** The path of an entry: `/about/team`; `/` for the home page. */
  pathOf(entry: Entry, state: 'published' | 'draft'): Promise<string>;
  /** Where visitors find an entry: its path on the built-in site, the whole address on a connected one. */
  addressOf(entry: Entry, state: 'published' | 'draft'): Promise<string>;
  /** Address of the draft's preview. */
  previewUrl(entry: Entry): Promise<string>;
  /** Address in the CMS where the entry can be edited; null: it can be edited only here. */
  editUrl(entry: Entry): Promise<string | null>;
  /**
   * The draft of an entry as the CMS itself would show it; null: the CMS has no separate theme. Writes nothing to the
   * CMS.
   */
  themePreview(entry: Entry, roots: ThemeRoots): Promise<CmsTheme | null>;
  /** A file that the page of `themePreview` loads, by its path on the CMS's host (`/theme/style.css?v=2`). @throws NotFoundError */
  themeFile(path: string, roots: ThemeRoots): Promise<ThemeFile>;
  /**
   * Warnings before a write to an entry: who has it open in the CMS's own editor, and which parts of its draft the CMS
   * cannot store.
   */
  cautions(entry: Entry): Promise<readonly ServerText[]>;
  /** Case-insensitive search over titles, excerpts and section texts of drafts; best first. */
  search(query: { text: string; type?: EntryType | undefined; limit?: number | undefined }): Promise<SearchHit[]>;
  /** Entries whose draft or published version contains this text (exact case unless `anyCase`); oldest first. */
  entriesWith(text: string | TextQuery, type?: EntryType): Promise<Entry[]>;
  /** Places of the site whose text `search` and `entriesWith` do not read; empty: they read everything. */
  unreadPlaces(): Promise<readonly UnreadPlace[]>;
  /** Links to an entry or uses of an asset in drafts, published versions, navigation and settings. */
  referencesTo(target: Target): Promise<Reference[]>;

  /** Creates an unpublished entry. */
  create(entry: NewEntry, origin: ChangeOrigin, options?: DryRunOption): Promise<EntryChange>;
  /** Applies all operations or none. Fills in a section's default fields and validates it against its type. */
  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange>;
  /** Patches several entries: all or none, and one undo reverses all of them. */
  patchAll(patches: readonly EntryPatch[], origin: ChangeOrigin, options?: DryRunOption): Promise<EntriesChange>;
  /** Errors in an entry, and warnings for its editor (missing descriptions, dead links). */
  validate(entryId: string): Promise<ValidationIssue[]>;
  /** Moves an entry to the trash; `restore` brings it back, without its parent if that no longer exists. */
  trash(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Restores an entry from the trash. @throws ConflictError if it is not there, or if its slug is in use */
  restore(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Redirects from former addresses, newest first. */
  redirects(): Promise<Redirect[]>;
  /** Tags of drafts that are not in the trash, the most used first; of one type, or of all types. */
  tags(type?: EntryType): Promise<{ tag: string; count: number }[]>;
  /** Authors that drafts name and that are not in the trash, those with the most entries first. */
  authors(): Promise<{ author: string; count: number }[]>;
}

/** What visitors see of the entries of a site. */
export interface SitePublishing {
  /** Copies the draft to the published version. Without changes to publish it writes nothing and returns a note. */
  publish(entryId: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication>;
  /**
   * Schedules the publication of the current draft (epoch milliseconds); null: cancels the schedule. Later changes
   * remain a draft, unless it is scheduled again. Publishing, unpublishing, discarding the draft and deleting the entry
   * cancel the schedule. Undoing those restores it if its time is still in the future: an undo never publishes.
   * @throws InvalidInputError for a time in the past, or too far in the future; ConflictError if there is nothing to
   * publish, or (null) nothing scheduled
   */
  schedule(
    entryId: string,
    publishAt: number | null,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange>;
  /** Removes the published version; the draft stays. @throws ConflictError if the entry is not published */
  unpublish(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Resets the draft to the published version. */
  discardDraft(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
}

/** The menu, the settings and the standing instructions of a site. */
export interface SiteConfiguration {
  /** The menu; empty by default. */
  navigation(): Promise<NavigationItem[]>;
  /** Replaces the whole menu. */
  setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  /** The site settings, completed by defaults. */
  settings(): Promise<SiteSettings>;
  /** Number of writes to the menu or the settings, for `ifRevision`; 0: not written yet. */
  revisionOf(document: 'navigation' | 'settings'): Promise<number>;
  /** Changes the given settings. */
  updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  design(): Promise<DesignState>;
  /** Changes parts of its draft. @throws InvalidInputError for too little contrast, and if the CMS has no design here */
  updateDesign(
    patch: DesignPatch,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  /** Voice, glossary and rules of the site; all empty by default. */
  standingInstructions(): Promise<StandingState>;
  /**
   * Replaces all of them. Checks lengths, repetitions and tokens; an InvalidInputError names what to shorten, and a
   * note states the cost if it is high.
   */
  setStandingInstructions(
    instructions: StandingInstructions,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
}

/** Compares versions of entries. */
interface SiteVersions {
  /** Differences between two versions of an entry, field by field. @throws NotFoundError for an unknown revision */
  differences(entry: Entry, versions: ComparedVersions): Promise<FieldChange[]>;
}

/** The changes of a site, its former states, and the way back to them. */
export interface SiteJournal {
  /** The states after each change of an entry, newest first. */
  versions(entryId: string): Promise<Version[]>;
  /** The entry's document after that revision. @throws NotFoundError */
  version(entryId: string, revision: number): Promise<EntryDocument>;
  /**
   * Resets the draft to its state after that revision (a new `update`), without its parent if that no longer exists. A
   * trashed entry is restored (a `restore`).
   */
  restoreVersion(entryId: string, revision: number, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;

  /**
   * The journal, newest first; after a given change, oldest first. @throws InvalidInputError for a change that is not
   * in the journal
   */
  changes(query: ChangesQuery): Promise<ChangeSet[]>;
  /** One change with its fields before and after, and the later changes that block its undo. @throws NotFoundError */
  change(changeId: string): Promise<ChangeDetail>;
  /** The newest change of a session that is in effect and is not itself an undo: `undo` reverts it. */
  newestStanding(sessionId: string): Promise<ChangeSet | null>;
  /**
   * Undoes one change, with all changes of the same edit. Without `changeId`: the newest change of `origin.sessionId`
   * that is in effect and is not itself an undo (so undoing twice undoes two changes). A ConflictError names later
   * changes to the same target that would be lost.
   */
  undo(changeId: string | undefined, origin: ChangeOrigin, options?: DryRunOption): Promise<Undone>;
  /**
   * Undoes all changes of a session, or of some of its turns, that are in effect, newest first; changes that these had
   * undone take effect again. By default all or nothing: a ConflictError names later changes that would be lost. With
   * `partial`, undoes as many as possible and returns the others as conflicts. Changes selected by id are skipped if
   * they are no longer in effect.
   */
  undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options?: { partial?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<UndoOutcome & WriteNotes>;
  /**
   * The site immediately after a change, drafts included.
   * @throws NotFoundError; InvalidInputError if the CMS keeps no versions
   */
  at(changeId: string): Promise<PastSite>;
  /**
   * Restores one target, or all that a session has changed since, to its state immediately after a change: drafts,
   * menu, settings, descriptions of pictures. Targets that did not exist then go into the trash; targets deleted since
   * are restored. What visitors see of entries does not change. One undo reverses the whole restore. A ConflictError names
   * later changes by others that the restore would lose; with `overOthers` it loses them.
   */
  restoreTo(
    changeId: string,
    selection: RestoreSelection,
    origin: ChangeOrigin,
    options?: { overOthers?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<RestoreOutcome>;
}

/**
 * CMS adapter: everything that tools, routes and pages may do to a site. Each write is one transaction, checks its
 * input (InvalidInputError names the field), makes one change in the journal and returns it. An unknown reference is a
 * NotFoundError; a conflict (taken slug, concurrent change, nothing to undo) a ConflictError. An operation that the CMS
 * does not support (`capabilities`) is an InvalidInputError that names the limitation. `Site` implements it.
 */
export interface ContentBackend extends SiteDocuments, SitePublishing, SiteConfiguration, SiteJournal, SiteVersions {
  /** What the CMS supports. */
  capabilities(): SiteCapabilities;
  /**
   * The same site for a caller who may only change drafts. A write throws a ForbiddenError if it would alter what
   * visitors see, now or by a schedule, delete or restore something, or change an existing picture, the menu, the
   * settings or the standing instructions; an undo is judged by its effect. A new picture is refused, too, if the site
   * shows its files to everyone immediately.
   */
  draftsOnly(): ContentBackend;
  readonly assets: AssetLibrary;
}

/** Message for a write that is refused because it is more than work on a draft. */
export const ONLY_DRAFTS = serverText('drafts-only');
