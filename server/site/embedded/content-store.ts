import type { AssetQuery } from '#server/site/asset-library';
import type { ChangesQuery, EntryQuery } from '#server/site/content-backend';
import type { StoredAsset } from '#server/site/embedded/asset-state';
import type { EntryPage, EntryItem } from '#server/core/site/site-lists';
import type { Place, SiteState } from '#server/site/site-paths';
import type { Entry, EntryStatus, EntryType } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet, SiteDocumentKey, Version } from '#server/core/site/changes';
import { createFreeShortId } from '#server/core/ids';
import type { PictureFile } from '#server/core/site/prepared-picture';
import type { JsonValue } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';

/** A change with the whole state of its target before and after; null if the target did not exist. */
export interface JournalEntry {
  readonly change: ChangeSet;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** One change in a target's journal; for entries, without the whole states before and after it. */
export interface JournalLine {
  readonly change: ChangeSet;
  /** Its position in the journal. */
  readonly seq: number;
  /** The change that it undid; null: it is not an undo. */
  readonly undoes: string | null;
  /** True if its target was created, trashed or restored. */
  readonly existence: boolean;
  /** True if the change altered the published version. */
  readonly publication: boolean;
  /** True if it changed the schedule. */
  readonly plan: boolean;
  /** The states before and after; null for entries. */
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Navigation, settings or standing instructions as stored. */
export interface SiteDocument {
  readonly value: JsonValue;
  /** Number of writes, from 1. */
  readonly revision: number;
}

/** An entry as lists show it, without its path. */
export type EntryLine = Omit<EntryItem, 'path'>;

/** An entry in a list: enough to find it by its title. */
export interface EntryName {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
}

/** Address and order of an entry that was live at an earlier time. */
export interface PastEntry extends PastPlace {
  readonly slug: string;
}

/** Order of an entry that was live at an earlier time, and its place for visitors. */
export interface PastPlace {
  readonly id: string;
  readonly type: EntryType;
  /** Null if visitors did not see it. */
  readonly publishedSlug: string | null;
  /** Id of the parent page. */
  readonly parent: string | null;
  readonly publishedAt: number | null;
  readonly createdAt: number;
}

/**
 * Reads of one site's content, inside or outside a transaction. `Live` entries are those that are not in the trash. Methods
 * that read one row return null if it does not exist. `seq` is a position in the journal.
 */
export interface ContentReader {
  /** Also finds deleted entries. */
  entry(id: string): Promise<Entry | null>;
  /** The live entry with this slug. */
  entryBySlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** The live entry published under this slug. */
  entryByPublishedSlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** Address data of a live entry. */
  place(id: string): Promise<Place | null>;
  placeBySlug(type: EntryType, slug: string, state: SiteState): Promise<Place | null>;
  /** The oldest live page; for `published`, the oldest published one. */
  firstPage(state: SiteState): Promise<Place | null>;
  /** The published live pages directly below a page. */
  pagesPublishedBelow(id: string): Promise<Place[]>;
  /** Id of the entry that was once published at a path. */
  redirectTarget(path: string): Promise<string | null>;
  /** The entries whose live drafts contain these sections. */
  sectionOwners(sectionIds: readonly string[]): Promise<{ sectionId: string; entryId: string }[]>;
  siteDocument(key: SiteDocumentKey): Promise<SiteDocument | null>;
  /** Also finds trashed assets. */
  asset(id: string): Promise<StoredAsset | null>;
  journalEntry(changeId: string): Promise<JournalEntry | null>;
  /** The newest change of a session that is in effect and is not an undo. */
  newestStandingChange(sessionId: string): Promise<ChangeSet | null>;
  /** The journal entry that made this revision of a target. */
  journalEntryAt(targetId: string, revision: number): Promise<JournalEntry | null>;
  /** The changes of one target, oldest first: all, or those above a revision. */
  journalOf(targetId: string, above?: number): Promise<JournalLine[]>;
  /** Ids of all targets that a session, or some of its turns, ever changed. */
  targetsOfSession(sessionId: string, turnIds?: readonly string[]): Promise<string[]>;
  /** Newest first. */
  versionsOf(entryId: string): Promise<Version[]>;
  /** Position of a change in the journal; null: no such change exists. */
  seqOf(changeId: string): Promise<number | null>;
  /**
   * State of a target after the change at `seq`, from the journal; null: it did not exist. Undefined: the journal
   * contains nothing about it.
   */
  stateAt(targetId: string, seq: number): Promise<JsonValue | undefined>;
  /** The entries that were live after the change at `seq`, oldest first. */
  entriesAt(seq: number): Promise<PastEntry[]>;
  /** The journal, newest first. */
  changes(query: ChangesQuery & { readonly limit: number }): Promise<ChangeSet[]>;
}

/** One transaction. The work in it must await nothing but the database. */
export interface ContentTransaction extends ContentReader {
  /** Inserts the entry or replaces what is stored under its id. */
  saveEntry(entry: Entry): Promise<void>;
  saveSiteDocument(key: SiteDocumentKey, document: SiteDocument, updatedAt: number): Promise<void>;
  /** Inserts the asset or replaces what is stored under its id. */
  saveAsset(asset: StoredAsset): Promise<void>;
  /** Stores the bytes unless they are stored already. */
  keepAssetFile(picture: PictureFile, now: number): Promise<void>;
  /** Records that an entry was published at a path; replaces an earlier entry of that path. */
  saveRedirect(path: string, targetId: string, createdAt: number): Promise<void>;
  /** Appends to the journal. */
  addJournalEntry(entry: JournalEntry): Promise<void>;
  /** Stores a change that a further write has extended, in place of its former state, as the newest of the journal. */
  extendJournalEntry(entry: JournalEntry): Promise<void>;
  /** Records which change undid this one; null if it is in effect (again). */
  setUndoneBy(changeId: string, undoneBy: string | null): Promise<void>;
  /** Records which change this one undid. */
  setUndoes(changeId: string, undoes: string): Promise<void>;
}

/** Options of a query that have defaults. */
type Defaulted = 'limit' | 'sort' | 'order' | 'state' | 'select';

/** A query of ContentBackend with every default filled in. */
export type EntryListQuery = Omit<EntryQuery, 'text' | 'search' | Defaulted> & {
  readonly [Name in Defaulted]: NonNullable<EntryQuery[Name]>;
} & {
  readonly type: EntryType | undefined;
  /** Each of these words must be in the title, the slug or the excerpt. */
  readonly words: readonly string[];
  /** Each of these words must be in a text of the document; accents do not count. */
  readonly textWords: readonly string[];
};

/** A page of a list of entries without their paths. */
interface EntryLines {
  readonly items: readonly EntryLine[];
  readonly total: EntryPage['total'];
  readonly nextCursor: EntryPage['nextCursor'];
}

/** Writes to the storage of a site. */
export interface ContentWriter {
  /** Runs `work` in one write transaction; nothing is written if it throws. It may run more than once. */
  write<T>(work: (tx: ContentTransaction) => Promise<T>): Promise<T>;
}

/** Reads the lists of a site, in addition to single entries. */
export interface ContentLists extends ContentReader {
  /** A page of entries, see ContentBackend.query; all defaults are filled in. */
  listEntries(query: EntryListQuery): Promise<EntryLines>;
  /** See ContentBackend.statusCounts. */
  statusCounts(type: EntryType): Promise<Record<EntryStatus, number>>;
  /** Newest first. */
  listAssets(
    query: AssetQuery & { readonly limit: number },
  ): Promise<{ items: StoredAsset[]; total: number; nextCursor: string | null }>;
  /** Number of all pictures, including those in the trash. */
  countAssets(): Promise<number>;
  assetFile(hash: string, size: 'full' | 'thumb'): Promise<Uint8Array | null>;
  /** Names of all live entries, oldest first. */
  entryNames(type?: EntryType): Promise<EntryName[]>;
  /** Paths at which entries were once published, newest first. */
  redirects(): Promise<{ from: string; targetId: string; createdAt: number }[]>;
  /** Tags of live drafts, the most used first. */
  tags(type?: EntryType): Promise<{ tag: string; count: number }[]>;
  /** See ContentBackend.authors. */
  authors(): Promise<{ author: string; count: number }[]>;
  /** All live entries. */
  entries(type?: EntryType): Promise<Entry[]>;
}

/** Storage of the embedded backend. */
export interface ContentStore extends ContentLists, ContentWriter {}

/** Author and time (epoch milliseconds) of a write. */
export interface WriteContext {
  readonly origin: ChangeOrigin;
  readonly now: number;
}

/** Creates a change that is in effect, with a new id. */
export async function newChange(
  tx: ContentTransaction,
  {
    summary,
    ...change
  }: Omit<ChangeSet, 'id' | 'undoneBy' | 'summary' | 'summaryMessage'> & { readonly summary: ServerText },
  id?: string,
): Promise<ChangeSet> {
  const summaryMessage = messageOfText(summary);
  return { id: id ?? (await newChangeId(tx)), ...change, summary: summary.text, summaryMessage, undoneBy: null };
}

/** A free id for a change. */
export function newChangeId(tx: ContentTransaction): Promise<string> {
  return createFreeShortId('chg', async (candidate) => (await tx.journalEntry(candidate)) !== null);
}
