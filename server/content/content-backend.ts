import type { AssetLibrary } from '#server/content/asset-library';
import type { SearchHit } from '#server/content/search-entries';
import type { TextQuery } from '#server/content/text-places';
import type {
  Entry,
  EntryDocument,
  EntryStatus,
  EntryType,
  NavigationItem,
  PatchOp,
  Redirect,
  Ref,
  Reference,
  SectionType,
  SiteSettings,
  StandingInstructions,
  ValidationIssue,
} from '#server/core/content';
import type {
  BroughtBack,
  ChangeActor,
  ChangeOrigin,
  ChangeSet,
  ChangeTarget,
  EntryChange,
  Publication,
  UndoOutcome,
  Version,
  WriteNotes,
  WriteOptions,
} from '#server/core/changes';
import type { CmsLook, LookFile, LookRoots } from '#server/core/cms-look';
import type { ChangeDetail, EntryPage, SiteCapabilities, TypeDetail, TypeSummary } from '#server/core/site-lists';
import type { ExpectedValue } from '#server/core/expected-values';
import type { PullProgress } from '#server/core/remote-site';

/** Filter, order and page of a list of entries. */
export interface EntryQuery {
  readonly type?: EntryType | undefined;
  /**
   * `draft` (default): all live entries as they are being edited. `published`: the versions that visitors see.
   * `trashed`: the trash.
   */
  readonly state?: 'draft' | 'published' | 'trashed' | undefined;
  readonly status?: EntryStatus | undefined;
  /** Only planned (or overdue) publications. */
  readonly scheduled?: boolean | undefined;
  readonly tag?: string | undefined;
  /** Id of a page: its children. Null: entries without a parent. */
  readonly parent?: string | null | undefined;
  /** Words in the title, slug or excerpt. */
  readonly text?: string | undefined;
  readonly sort?: 'updated' | 'created' | 'published' | 'scheduled' | 'title' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** Fields of the document to return. */
  readonly select?: readonly (keyof EntryDocument)[] | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page of the same query. */
  readonly cursor?: string | undefined;
}

export interface NewEntry {
  readonly type: EntryType;
  readonly title: string;
  /** Made from the title when left out; a taken slug is a ConflictError. */
  readonly slug?: string | undefined;
  readonly excerpt?: string | undefined;
  readonly author?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly parent?: string | undefined;
  readonly seo?: EntryDocument['seo'];
  readonly sections?:
    readonly { readonly type: SectionType; readonly fields: EntryDocument['sections'][number]['fields'] }[] | undefined;
}

/** Options of a change to fields and sections. */
export interface PatchOptions extends WriteOptions {
  /**
   * Replaced values as the writer knows them: throws a ConflictError (details: changedValuesSchema) if one is another
   * value by now. What others have changed elsewhere in the entry stays as it is.
   */
  readonly expects?: readonly ExpectedValue[] | undefined;
  /**
   * Id of a change that this one goes on with, as typing does: both become one. Where it cannot be, because it is older
   * than a minute, of somebody else or of other places, undone, or not the newest, this is a change of its own.
   */
  readonly joins?: string | undefined;
  /** Its summary in the journal; default: one from the operations. */
  readonly summary?: string | undefined;
}

/** Data of an entry that was published somewhere else before. */
export interface PublishOptions extends WriteOptions {
  /** First publication, epoch milliseconds, in the past; it stays the date of the entry. Default: now. */
  readonly publishedAt?: number | undefined;
  /** Former paths (`/2010/05/old-name`), which redirect to the entry if the CMS can do that (`redirects`). */
  readonly formerPaths?: readonly string[] | undefined;
  /** Publishes the planned version instead of the draft: later changes stay a draft. */
  readonly asPlanned?: boolean | undefined;
}

/** One entry's part of an edit of several. */
export interface EntryPatch {
  readonly entryId: string;
  readonly operations: readonly PatchOp[];
  /** Throws a ConflictError unless the entry still has this revision. */
  readonly ifRevision?: number | undefined;
  /** Its summary in the journal; default: one from the operations. */
  readonly summary?: string | undefined;
}

/** Result of an edit of several entries, in the order of the patches. */
export interface EntriesChange extends WriteNotes {
  readonly changes: readonly Omit<EntryChange, 'notes'>[];
}

/** A change taken back, with those that were made in one edit with it. */
export interface Undone extends ChangeSet, WriteNotes {
  /** The others of its edit, taken back as well; absent where it was alone. */
  readonly together?: readonly ChangeSet[] | undefined;
}

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
  /** Besides those of the session, what people changed by hand outside of any since then; epoch milliseconds. */
  readonly handSince?: number | undefined;
  readonly limit?: number | undefined;
}

/** The standing instructions with their revision. */
export interface StandingState extends StandingInstructions {
  /** Number of writes; 0: none yet. */
  readonly revision: number;
}

/** Changes of a session to undo: all that are in effect, or those of some turns. */
export interface UndoneOfSession {
  readonly sessionId: string;
  readonly turnIds?: readonly string[] | undefined;
}

/** Changes to undo by their ids; `along`: with all later ones in the same places. */
export interface UndoneTogether {
  readonly changeIds: readonly string[];
  readonly along: boolean;
}

export type UndoSelection = UndoneOfSession | UndoneTogether;

/** Selection of what is brought back: one thing, or all that a session changed since. */
export type BringBackSelection =
  { readonly targetId: string } | { readonly targetId?: undefined; readonly sessionId: string };

/** The site as it was right after a change. */
export interface PastSite {
  readonly change: ChangeSet;
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  /** Drafts of posts without their sections, never published ones first, then the newest; at most 100. */
  readonly posts: readonly {
    readonly id: string;
    readonly document: EntryDocument;
    readonly publishedAt: number | null;
  }[];
  /** Looks up the path of a draft. */
  readonly find: (path: string) => Promise<PastMatch | null>;
  /** Version of the bytes that a picture had; null: it is as it was, or was not there. */
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
 * Result of looking up a path: an entry, the address that it redirects to (a path, or a whole address that somebody
 * chose), or that what was published there is so no more.
 */
export type PathMatch =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'gone' };

/**
 * CMS adapter: everything that tools, routes and pages may do to a site. Each write is one transaction, checks its
 * input (InvalidInputError names the field), makes one change in the journal and returns it. An unknown reference is a
 * NotFoundError; a clash (taken slug, stale revision, nothing to undo) a ConflictError. Something that the CMS cannot
 * do (`capabilities`) is an InvalidInputError that says so. Adapters are plain objects.
 */
export interface ContentBackend {
  capabilities(): SiteCapabilities;
  /**
   * The same site for a caller who may only change drafts. A write throws a ForbiddenError if it would alter, now or by
   * a plan, what visitors see, delete or restore something, or change an existing picture, the menu, the settings or
   * the standing instructions; an undo counts by its effect. So does a new picture where the site shows its files to
   * everybody at once.
   */
  draftsOnly(): ContentBackend;
  /** Types of entries and of sections, in a few words each. */
  types(): Promise<{ entries: readonly TypeSummary[]; sections: readonly TypeSummary[] }>;
  /** @throws NotFoundError */
  type(name: string): Promise<TypeDetail>;

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
  /** The entry whose draft holds this section. */
  getBySection(sectionId: string): Promise<Entry>;
  /** Lasting reference to an entry. */
  refOf(entry: Entry): Ref;
  /** Looks up a path, as visitors see it (`published`) or as it is being edited. */
  findByPath(path: string, state: 'published' | 'draft'): Promise<PathMatch | null>;
  /** The path of an entry: `/about/team`; `/` for the home page. */
  pathOf(entry: Entry, state: 'published' | 'draft'): Promise<string>;
  /** Address of the draft's preview. */
  previewUrl(entry: Entry): Promise<string>;
  /** Address in the CMS where it is edited there; null: it is edited here alone. */
  editUrl(entry: Entry): Promise<string | null>;
  /** The draft of an entry as the CMS itself would show it; null: it has no other look than ours. Writes nothing there. */
  look(entry: Entry, roots: LookRoots): Promise<CmsLook | null>;
  /** A file of such a page, by its path on the CMS's host (`/theme/style.css?v=2`). @throws NotFoundError */
  lookFile(path: string, roots: LookRoots): Promise<LookFile>;
  /**
   * Sentences for who is about to write an entry: who has it open in the CMS's own editor, and what of its draft the CMS
   * has no place for.
   */
  cautions(entry: Entry): Promise<string[]>;
  /** Case-insensitive search over titles, excerpts and section texts of drafts; best first. */
  search(query: { text: string; type?: EntryType | undefined; limit?: number | undefined }): Promise<SearchHit[]>;
  /** Entries whose draft, or what visitors see of it, holds this text (exactly so, unless `anyCase`); oldest first. */
  entriesWith(text: string | TextQuery, type?: EntryType): Promise<Entry[]>;
  /** Links to an entry or uses of an asset in drafts, published versions, navigation and settings. */
  referencesTo(target: Pick<Ref, 'type' | 'id'>): Promise<Reference[]>;

  create(entry: NewEntry, origin: ChangeOrigin, options?: Pick<WriteOptions, 'dryRun'>): Promise<EntryChange>;
  /** Applies all operations or none. Fills in a section's default fields, validates against its type. */
  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange>;
  /** Patches several entries: all or none, and one undo takes all of them back. */
  patchAll(
    patches: readonly EntryPatch[],
    origin: ChangeOrigin,
    options?: Pick<WriteOptions, 'dryRun'>,
  ): Promise<EntriesChange>;
  /** Errors in an entry, and warnings for its editor (missing descriptions, dead links). */
  validate(entryId: string): Promise<ValidationIssue[]>;
  publish(entryId: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication>;
  /**
   * Plans the publication of the current draft (epoch milliseconds); null: cancels the plan. Later changes stay a
   * draft, unless it is planned again. Publishing, unpublishing, discarding the draft and deleting the entry cancel the
   * plan. Undoing those restores it if its time is still ahead: an undo never publishes.
   * @throws InvalidInputError for a time in the past, or too far away; ConflictError where there is nothing to publish,
   * or (null) nothing planned
   */
  schedule(
    entryId: string,
    publishAt: number | null,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange>;
  unpublish(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Resets the draft to the published version. */
  discardDraft(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Moves an entry to the trash; `restore` brings it back, without its parent if that is gone. */
  trash(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  restore(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Newest first. */
  versions(entryId: string): Promise<Version[]>;
  /** The entry's document after that revision. @throws NotFoundError */
  version(entryId: string, revision: number): Promise<EntryDocument>;
  /**
   * Resets the draft to its state after that revision (a new `update`), without its parent if that is gone. Brings a
   * trashed entry back (a `restore`).
   */
  restoreVersion(entryId: string, revision: number, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;

  readonly assets: AssetLibrary;

  navigation(): Promise<NavigationItem[]>;
  setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  settings(): Promise<SiteSettings>;
  /** Number of writes to the menu or the settings, for `ifRevision`; 0: none yet. */
  revisionOf(document: 'navigation' | 'settings'): Promise<number>;
  updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  /** Voice, glossary and rules of the site; all empty by default. */
  standingInstructions(): Promise<StandingState>;
  /**
   * Replaces all of them. Checks lengths, repeats and tokens; an InvalidInputError says what to shorten, a note what they
   * cost where that is much.
   */
  setStandingInstructions(
    instructions: StandingInstructions,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  /** Redirects from former addresses, newest first. */
  redirects(): Promise<Redirect[]>;
  /** Tags of drafts that are not in the trash, the most used first; of one type, or of all. */
  tags(type?: EntryType): Promise<{ tag: string; count: number }[]>;

  /** The journal, newest first; after a change, oldest first. @throws InvalidInputError for a change that it has not */
  changes(query: ChangesQuery): Promise<ChangeSet[]>;
  /** @throws NotFoundError */
  change(changeId: string): Promise<ChangeDetail>;
  /** The newest change of a session that is in effect and is not itself an undo: `undo` reverts it. */
  newestStanding(sessionId: string): Promise<ChangeSet | null>;
  /**
   * Undoes one change, with all that were made in one edit with it. Without `changeId`: the newest change of `origin.sessionId` that is in effect and is not itself
   * an undo (so undoing twice undoes two changes). A ConflictError names later changes to the same target that would be
   * lost.
   */
  undo(changeId: string | undefined, origin: ChangeOrigin, options?: Pick<WriteOptions, 'dryRun'>): Promise<Undone>;
  /**
   * Undoes all changes of a session, or of some of its turns, that are in effect, newest first; changes that they had
   * undone come back. By default all or nothing: a ConflictError names later changes that would be lost. With
   * `partial`, undoes as many as possible and returns the rest as conflicts. Of changes by their ids, those that are not
   * in effect any more are passed over.
   */
  undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options?: { partial?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<UndoOutcome & WriteNotes>;
  /**
   * The site as it was right after a change, drafts included.
   * @throws NotFoundError; InvalidInputError where the CMS keeps no versions
   */
  at(changeId: string): Promise<PastSite>;
  /**
   * Makes one thing, or all that a session changed since, what it was right after a change: drafts, menu, settings,
   * descriptions of pictures. What did not exist then goes into the trash, what was deleted since comes back. What
   * visitors see of entries stays as it is. One undo takes all of it back. A ConflictError names later steps of others
   * that it would lose, unless `overOthers`.
   */
  bringBack(
    changeId: string,
    selection: BringBackSelection,
    origin: ChangeOrigin,
    options?: { overOthers?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<BroughtBack>;
}

/** Message for a write that is refused because it is more than work on a draft. */
export const ONLY_DRAFTS =
  'Not done: it would change what visitors see, now or by a plan, or delete or restore something. Authors, and keys with the scope "content:draft", change drafts alone: an editor may do this.';

/** The content of a connected site: its CMS adapter over a copy in our own database. */
export interface ConnectedContent {
  readonly content: ContentBackend;
  /**
   * Updates the copy with what has changed on the site. Whatever was copied is kept when it is aborted or fails; the
   * next pull continues from there.
   * @throws SiteUnavailableError, ForbiddenError
   */
  pull(onProgress?: (progress: PullProgress) => void, signal?: AbortSignal): Promise<void>;
}
