import type { AssetLibrary } from '#server/content/asset-library';
import type {
  ChangeOrigin,
  ChangeSet,
  ChangeTarget,
  ChangeActor,
  Entry,
  EntryDocument,
  EntryStatus,
  EntryType,
  FieldChange,
  NavigationItem,
  PatchOp,
  Redirect,
  Ref,
  Reference,
  SectionType,
  SiteSettings,
  StandingInstructions,
  UndoOutcome,
  ValidationIssue,
  Version,
  WriteNotes,
} from '#server/core/content';
import type { PullProgress } from '#server/core/remote-site';

/** Abilities of a CMS; tools and screens leave out the others. */
export interface Capabilities {
  /** `embedded`, `wordpress`, ... */
  readonly backend: string;
  /** Drafts beside what is published. */
  readonly drafts: boolean;
  readonly trash: boolean;
  /** Earlier states can be listed and brought back. */
  readonly versions: boolean;
  /** Single changes can be taken back, whatever came after them elsewhere. */
  readonly undo: boolean;
  /** Pages below pages. */
  readonly hierarchy: boolean;
  readonly tags: boolean;
  readonly seo: boolean;
  /** An address that changes leads on to the new one. */
  readonly redirects: boolean;
  readonly navigation: boolean;
  readonly settings: boolean;
  readonly assets: boolean;
  /** Publishing at a later time. */
  readonly scheduling: boolean;
  /** A write is refused when the entry has changed meanwhile (`ifRevision`), by the backend itself. */
  readonly preconditions: boolean;
}

/** A kind of entry, or of section, in the fewest words: what a model reads first. */
export interface TypeSummary {
  readonly name: string;
  /** One line: what it is, and its fields (`?` optional). */
  readonly description: string;
}

/** Everything about one type, on demand. */
export interface TypeDetail extends TypeSummary {
  readonly fields: readonly {
    readonly name: string;
    readonly required: boolean;
    /** `text`, `markdown`, `url`, `list of {question, answer}`, ... */
    readonly kind: string;
    readonly hint?: string | undefined;
  }[];
}

export interface EntrySummary {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  /** Path on the site in the state that the query is about: `/about/team`. */
  readonly path: string;
  readonly status: EntryStatus;
  readonly excerpt?: string | undefined;
  readonly sectionCount: number;
  /** Id of the page above. */
  readonly parent?: string | undefined;
  /** Epoch milliseconds; null: visitors do not see it. */
  readonly publishedAt: number | null;
  /** When it is published by itself; null: nobody has asked for that. */
  readonly publishAt: number | null;
  /** Its draft was changed since that was planned: what was changed stays a draft. */
  readonly isPlanOlder: boolean;
  readonly updatedAt: number;
  /** The fields that the query asked for, in the state that it asked about. */
  readonly selected?: Partial<EntryDocument> | undefined;
}

/** Filter, order and page of a list of entries. */
export interface EntryQuery {
  readonly type?: EntryType | undefined;
  /** `draft` (default): all live entries as they are being edited. `published`: what visitors see. `trashed`: the trash. */
  readonly state?: 'draft' | 'published' | 'trashed' | undefined;
  readonly status?: EntryStatus | undefined;
  /** Only those that are published at a time to come (or due). */
  readonly scheduled?: boolean | undefined;
  readonly tag?: string | undefined;
  /** Id of a page: those right below it. Null: those below none. */
  readonly parent?: string | null | undefined;
  /** Words that title, slug or excerpt hold. */
  readonly text?: string | undefined;
  readonly sort?: 'updated' | 'created' | 'published' | 'scheduled' | 'title' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** Fields of the documents to give along. */
  readonly select?: readonly (keyof EntryDocument)[] | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before; of the same query. */
  readonly cursor?: string | undefined;
}

export interface EntryPage {
  readonly items: readonly EntrySummary[];
  /** Number of entries on all pages. */
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface SearchHit {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  /** The section that matched, when it was not the title or excerpt. */
  readonly sectionId?: string | undefined;
  /** Text around the match, at most 160 characters. */
  readonly snippet: string;
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

export interface WriteOptions {
  /** Refuse with a ConflictError unless the entry's revision is still this one. */
  readonly ifRevision?: number | undefined;
  /** Check everything and say what the result would be, but write nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Data of an entry that was published somewhere else before. */
export interface PublishOptions extends WriteOptions {
  /** When visitors saw it first, epoch milliseconds, not to come; it stays the date of the entry. Default: now. */
  readonly publishedAt?: number | undefined;
  /** Paths at which it was there (`/2010/05/old-name`): they lead on to it, where the backend can do that (`redirects`). */
  readonly formerPaths?: readonly string[] | undefined;
  /** Publishes the planned version instead of the draft: later changes stay a draft. */
  readonly asPlanned?: boolean | undefined;
}

/** Result of a write to an entry: its new state and the change in the journal. */
export interface EntryChange extends WriteNotes {
  readonly entry: Entry;
  readonly change: ChangeSet;
}

/** Result of a publication. `change` is null where visitors already saw this state: nothing was written. */
export interface Publication extends WriteNotes {
  readonly entry: Entry;
  readonly change: ChangeSet | null;
}

export interface ChangesQuery {
  readonly targetId?: string | undefined;
  readonly targetType?: ChangeTarget | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly actor?: ChangeActor | undefined;
  /** Id of a change: those before it. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

/** One change with what it altered, field by field. */
export interface ChangeDetail {
  readonly change: ChangeSet;
  readonly fields: readonly FieldChange[];
  /** Later changes that an undo would lose; null where it can be undone (or is undone). */
  readonly blockedBy: readonly ChangeSet[] | null;
}

/** The standing instructions, and how often they were written. */
export interface StandingState extends StandingInstructions {
  /** 0 where they never were. */
  readonly revision: number;
}

/** Changes of a session to undo: all that are in effect, or those of some turns. */
export interface UndoSelection {
  readonly sessionId: string;
  readonly turnIds?: readonly string[] | undefined;
}

/** Result of looking up a path: an entry, or the path that it redirects to. */
export type PathMatch =
  { readonly kind: 'entry'; readonly entry: Entry } | { readonly kind: 'redirect'; readonly to: string };

/**
 * The CMS-neutral port: all that tools, routes and pages may do to a site. Every write is one transaction, checks
 * its input (InvalidInputError names the field), makes one change of the journal and returns it. An unknown reference
 * is a NotFoundError; a clash (taken slug, stale revision, nothing to undo) a ConflictError. What a backend cannot do
 * (`capabilities`) is an InvalidInputError that says so.
 */
export interface ContentBackend {
  capabilities(): Capabilities;
  /**
   * The same site for somebody who may change drafts alone. A write is a ForbiddenError, and nothing is written, that
   * would alter what visitors see, now or by a plan, delete or restore something, or change a picture that is there
   * already, the menu, the settings or the standing instructions; undoing counts by what it does. So is a new picture where
   * the site shows its files to everybody at once.
   */
  draftsOnly(): ContentBackend;
  /** Types of entries and of sections, in a few words each. */
  types(): Promise<{ entries: readonly TypeSummary[]; sections: readonly TypeSummary[] }>;
  /** @throws NotFoundError */
  type(name: string): Promise<TypeDetail>;

  query(query: EntryQuery): Promise<EntryPage>;
  /** `ref`: an id, a slug, a path or a title (case-insensitive), in this order. Trashed entries are not found. */
  find(ref: string, type?: EntryType): Promise<Entry | null>;
  /** As `find`, but a NotFoundError where there is none; its message names near matches. */
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
  /** Case-insensitive search over titles, excerpts and section texts of drafts; best first. */
  search(query: { text: string; type?: EntryType | undefined; limit?: number | undefined }): Promise<SearchHit[]>;
  /** Links to an entry or uses of an asset in drafts, published versions, navigation and settings. */
  referencesTo(target: Pick<Ref, 'type' | 'id'>): Promise<Reference[]>;

  create(entry: NewEntry, origin: ChangeOrigin, options?: Pick<WriteOptions, 'dryRun'>): Promise<EntryChange>;
  /** Applies all operations or none. Fills in a section's default fields, validates against its type. */
  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange>;
  /** Errors in an entry, and warnings for its editor (missing descriptions, dead links). */
  validate(entryId: string): Promise<ValidationIssue[]>;
  publish(entryId: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication>;
  /**
   * Publishes the draft as it is now by itself at a time to come (epoch milliseconds); null: not any more. What is
   * changed until then stays a draft, unless it is planned again.
   * Publishing, unpublishing, discarding the draft and deleting it take the time away. Undoing those brings it back
   * where it still lies ahead: what was planned for a time that has passed is never published by an undo.
   * @throws InvalidInputError for a time that is not ahead, or too far away; ConflictError where there is nothing to
   * publish, or (null) nothing planned
   */
  schedule(
    entryId: string,
    publishAt: number | null,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange>;
  unpublish(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Makes the draft what is published again. */
  discardDraft(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Takes it off the site and out of every list; `restore` brings it back as it was, below no page if that is gone. */
  trash(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  restore(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange>;
  /** Newest first. */
  versions(entryId: string): Promise<Version[]>;
  /** The entry's document after that revision. @throws NotFoundError */
  version(entryId: string, revision: number): Promise<EntryDocument>;
  /**
   * Puts the entry's draft back to what it was after that revision (a new `update`), below no page if that is gone. A
   * trashed entry comes back (a `restore`).
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
  updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet & WriteNotes>;
  /** Voice, glossary and rules of the site; all empty where nobody has set any. */
  standingInstructions(): Promise<StandingState>;
  /** All of them anew. Lengths, repeats and tokens are checked: the InvalidInputError says what to shorten. */
  setStandingInstructions(
    instructions: StandingInstructions,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<ChangeSet>;
  /** Old addresses that lead on, newest first. */
  redirects(): Promise<Redirect[]>;
  /** Tags of drafts that are not in the trash, the most used first; of one type, or of all. */
  tags(type?: EntryType): Promise<{ tag: string; count: number }[]>;

  /** The journal, newest first. */
  changes(query: ChangesQuery): Promise<ChangeSet[]>;
  /** @throws NotFoundError */
  change(changeId: string): Promise<ChangeDetail>;
  /** The newest change of a session that is in effect and is not itself an undo: `undo` reverts it. */
  newestStanding(sessionId: string): Promise<ChangeSet | null>;
  /**
   * Takes one change back. Without `changeId`: the newest change of `origin.sessionId` that still stands and is not
   * itself an undo (so undoing twice takes back two changes). Later changes to the same target that would be lost
   * are a ConflictError naming them.
   */
  undo(
    changeId: string | undefined,
    origin: ChangeOrigin,
    options?: Pick<WriteOptions, 'dryRun'>,
  ): Promise<ChangeSet & WriteNotes>;
  /**
   * Takes back what still stands of a session or of some of its turns, newest first; changes that they had taken back
   * come back. By default all of it or nothing: later changes that would be lost are a ConflictError naming them. With
   * `partial`, what can be taken back is, and the rest is told as conflicts. With `dryRun` nothing is written.
   */
  undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options?: { partial?: boolean | undefined; dryRun?: boolean | undefined },
  ): Promise<UndoOutcome & WriteNotes>;
}

/** Why a write is refused that is more than work on a draft. */
export const ONLY_DRAFTS =
  'Not done: it would change what visitors see, now or by a plan, or delete or restore something. The scope "content:draft" is for drafts alone.';

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
