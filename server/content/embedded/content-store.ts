import type { EntrySummary, ListQuery } from '#server/content/content-backend';
import type { ChangeSet, Entry, EntryType } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** A change together with its target's whole state on both sides; null where the target did not exist. */
export interface JournalEntry {
  readonly change: ChangeSet;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Navigation or settings as stored. */
export interface SiteDocument {
  readonly value: JsonValue;
  /** Counts the writes, from 1. */
  readonly revision: number;
}
export type SiteDocumentKey = 'navigation' | 'settings';

/** A line of the list of entries: enough to find one by its title. */
export type EntryName = Pick<Entry, 'id' | 'type'> & { readonly title: string; readonly slug: string };

/** What can be read, inside a transaction or outside. `live` means not deleted. */
export interface ContentReader {
  /** Deleted entries too. */
  entry(id: string): Promise<Entry | null>;
  /** The live entry with this slug. */
  entryBySlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** The live entry published under this slug. */
  entryByPublishedSlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** Of the given section ids, those in drafts of live entries, and which entry holds each. */
  sectionOwners(sectionIds: readonly string[]): Promise<{ sectionId: string; entryId: string }[]>;
  siteDocument(key: SiteDocumentKey): Promise<SiteDocument | null>;
  journalEntry(changeId: string): Promise<JournalEntry | null>;
  /** The change that `changeId` undid. */
  changeUndoneBy(changeId: string): Promise<ChangeSet | null>;
  /** Changes to the same target after `changeId`, oldest first, that stand and are not undos. */
  standingChangesAfter(changeId: string): Promise<JournalEntry[]>;
  /** The newest change of a session that stands and is not an undo. */
  newestStandingChange(sessionId: string): Promise<ChangeSet | null>;
  /** The journal's entry that made this revision of a target. */
  journalEntryAt(targetId: string, revision: number): Promise<JournalEntry | null>;
}

/** One transaction. Everything it awaits is the database. */
export interface ContentTransaction extends ContentReader {
  /** Inserts the entry or replaces what is stored under its id. */
  saveEntry(entry: Entry): Promise<void>;
  saveSiteDocument(key: SiteDocumentKey, document: SiteDocument, updatedAt: number): Promise<void>;
  /** Appends to the journal. */
  addJournalEntry(entry: JournalEntry): Promise<void>;
  /** Says which change undid this one; null when it stands (again). */
  setUndoneBy(changeId: string, undoneBy: string | null): Promise<void>;
}

/** Where the embedded backend keeps a site. */
export interface ContentStore extends ContentReader {
  /** Runs `work` in one write transaction; nothing is written when it throws. It may run more than once. */
  write<T>(work: (tx: ContentTransaction) => Promise<T>): Promise<T>;
  /** Live entries, newest change first. */
  listEntries(
    query: Required<Pick<ListQuery, 'type' | 'limit' | 'offset'>> & Pick<ListQuery, 'status' | 'tag'>,
  ): Promise<{
    items: EntrySummary[];
    total: number;
  }>;
  /** Names of all live entries, oldest first. */
  entryNames(type?: EntryType): Promise<EntryName[]>;
  /** All live entries. */
  entries(type?: EntryType): Promise<Entry[]>;
  /** Live published entries, newest publication first. */
  publishedEntries(query: { type: EntryType; tag?: string | undefined; limit: number }): Promise<Entry[]>;
  /** Newest first. */
  changes(query: {
    targetId?: string | undefined;
    sessionId?: string | undefined;
    limit: number;
  }): Promise<ChangeSet[]>;
}
