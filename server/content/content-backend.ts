import type {
  ChangeOrigin,
  ChangeSet,
  Entry,
  EntryDocument,
  EntryStatus,
  EntryType,
  NavigationItem,
  PatchOp,
  SectionType,
  SiteSettings,
} from '#server/core/content';

export interface EntrySummary {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  readonly status: EntryStatus;
  readonly excerpt?: string | undefined;
  readonly sectionCount: number;
  readonly updatedAt: number;
}

export interface ListQuery {
  readonly type: EntryType;
  readonly status?: EntryStatus | undefined;
  readonly tag?: string | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
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
  readonly sections?:
    readonly { readonly type: SectionType; readonly fields: EntryDocument['sections'][number]['fields'] }[] | undefined;
}

export interface WriteOptions {
  /** Refuse with a ConflictError unless the entry's revision is still this one. */
  readonly ifRevision?: number | undefined;
}

/** What every write to an entry gives back: the state after it and the journal's record of it. */
export interface EntryChange {
  readonly entry: Entry;
  readonly change: ChangeSet;
}

/**
 * The CMS-neutral port: all that tools, routes and pages may do to a site. Every write is one transaction, checks
 * its input (InvalidInputError names the field), makes one revision and returns its ChangeSet. An unknown reference
 * is a NotFoundError; a clash (taken slug, stale revision, nothing to undo) a ConflictError.
 */
export interface ContentBackend {
  list(query: ListQuery): Promise<{ items: EntrySummary[]; total: number }>;
  /** `ref`: an id, a slug, or a title (case-insensitive), in this order. Deleted entries are not found. */
  find(ref: string, type?: EntryType): Promise<Entry | null>;
  /** As `find`, but a NotFoundError where there is none; its message names near matches. */
  get(ref: string, type?: EntryType): Promise<Entry>;
  /** The entry whose draft holds this section. */
  getBySection(sectionId: string): Promise<Entry>;
  /** Published entry at this slug, for the public site. */
  findPublished(type: EntryType, slug: string): Promise<Entry | null>;
  listPublished(query: { type: EntryType; tag?: string | undefined; limit?: number | undefined }): Promise<Entry[]>;
  /** Case-insensitive search over titles, excerpts and section texts of drafts; best first. */
  search(query: { text: string; type?: EntryType | undefined; limit?: number | undefined }): Promise<SearchHit[]>;

  create(entry: NewEntry, origin: ChangeOrigin): Promise<EntryChange>;
  /** Applies all operations or none. Fills in a section's default fields, validates against its type. */
  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange>;
  publish(entryId: string, origin: ChangeOrigin): Promise<EntryChange>;
  unpublish(entryId: string, origin: ChangeOrigin): Promise<EntryChange>;
  delete(entryId: string, origin: ChangeOrigin): Promise<EntryChange>;

  navigation(): Promise<NavigationItem[]>;
  setNavigation(items: readonly NavigationItem[], origin: ChangeOrigin): Promise<ChangeSet>;
  settings(): Promise<SiteSettings>;
  updateSettings(patch: Partial<SiteSettings>, origin: ChangeOrigin): Promise<ChangeSet>;

  /** Newest first. */
  revisions(query: {
    targetId?: string | undefined;
    sessionId?: string | undefined;
    limit?: number | undefined;
  }): Promise<ChangeSet[]>;
  /** Puts the entry's draft back to what it was after that revision (a new `update` revision). */
  restore(entryId: string, revision: number, origin: ChangeOrigin): Promise<EntryChange>;
  /**
   * Takes one change back. Without `changeId`: the newest change of `origin.sessionId` that still stands and is not
   * itself an undo (so undoing twice takes back two changes). Later changes to the same target that would be lost
   * are a ConflictError naming them.
   */
  undo(changeId: string | undefined, origin: ChangeOrigin): Promise<ChangeSet>;
}
