import { z } from 'zod';
import type { AssetQuery } from '#server/content/asset-library';
import type { ChangesQuery, EntryQuery } from '#server/content/content-backend';
import type { EntryPage, EntryItem } from '#server/core/site-lists';
import type { Place, SiteState } from '#server/content/site-paths';
import { latinWords } from '#server/content/slugs';
import type { Asset, Entry, EntryStatus, EntryType } from '#server/core/content';
import type { ChangeOrigin, ChangeSet, SiteDocumentKey, Version } from '#server/core/changes';
import type { Picture } from '#server/core/files';
import { pictureExtensions } from '#server/core/limits';
import { type JsonValue, toJson } from '#server/core/json';

/** A change together with its target's whole state on both sides; null where the target did not exist. */
export interface JournalEntry {
  readonly change: ChangeSet;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** One change in a target's journal, without the whole states of an entry before and after it. */
export interface JournalLine {
  readonly change: ChangeSet;
  /** Its place in the journal. */
  readonly seq: number;
  /** The change that it took back; null: it is a change of its own. */
  readonly undoes: string | null;
  /** True if it came into being, went into the trash or out of it. */
  readonly existence: boolean;
  /** Tells whether the change altered the published version. */
  readonly publication: boolean;
  /** True if it changed the plan. */
  readonly plan: boolean;
  /** The states on both sides; null for entries. */
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Navigation, settings or standing instructions as stored. */
export interface SiteDocument {
  readonly value: JsonValue;
  /** Counts the writes, from 1. */
  readonly revision: number;
}

/** An entry as lists show it, but for where it is. */
export type EntryLine = Omit<EntryItem, 'path'>;

/** A line of the list of entries: enough to find one by its title. */
export type EntryName = Pick<Entry, 'id' | 'type'> & { readonly title: string; readonly slug: string };

/** Address and order of an entry at an earlier time; it was live then. */
export interface PastEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly slug: string;
  /** Null while visitors did not see it. */
  readonly publishedSlug: string | null;
  /** Id of the page above. */
  readonly parent: string | null;
  readonly publishedAt: number | null;
  readonly createdAt: number;
}

/** Reads, inside a transaction or outside. `live` means not deleted. */
export interface ContentReader {
  /** Deleted entries too. */
  entry(id: string): Promise<Entry | null>;
  /** The live entry with this slug. */
  entryBySlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** The live entry published under this slug. */
  entryByPublishedSlug(type: EntryType, slug: string): Promise<Entry | null>;
  /** Address data of a live entry. */
  place(id: string): Promise<Place | null>;
  placeBySlug(type: EntryType, slug: string, state: SiteState): Promise<Place | null>;
  /** The oldest live page; of the published ones, where they are asked for. */
  firstPage(state: SiteState): Promise<Place | null>;
  /** The live pages published right below a page. */
  pagesPublishedBelow(id: string): Promise<Place[]>;
  /** Id of the entry that once was published at a path. */
  redirectTarget(path: string): Promise<string | null>;
  /** The entries whose live drafts hold these sections. */
  sectionOwners(sectionIds: readonly string[]): Promise<{ sectionId: string; entryId: string }[]>;
  siteDocument(key: SiteDocumentKey): Promise<SiteDocument | null>;
  /** Trashed ones too. */
  asset(id: string): Promise<StoredAsset | null>;
  journalEntry(changeId: string): Promise<JournalEntry | null>;
  /** The newest change of a session that is in effect and is not an undo. */
  newestStandingChange(sessionId: string): Promise<ChangeSet | null>;
  /** The journal's entry that made this revision of a target. */
  journalEntryAt(targetId: string, revision: number): Promise<JournalEntry | null>;
  /** All changes of one target, oldest first. */
  journalOf(targetId: string): Promise<JournalLine[]>;
  /** Ids of all that a session, or some of its turns, ever changed. */
  targetsOfSession(sessionId: string, turnIds?: readonly string[]): Promise<string[]>;
  /** Newest first. */
  versionsOf(entryId: string): Promise<Version[]>;
  /** Place of a change in the journal; null: there is no such change. */
  seqOf(changeId: string): Promise<number | null>;
  /**
   * State of a target after the change at `seq`, as the journal keeps it; null: it did not exist. Undefined: the journal
   * has nothing of it.
   */
  stateAt(targetId: string, seq: number): Promise<JsonValue | undefined>;
  /** The entries that were live after the change at `seq`, oldest first. */
  entriesAt(seq: number): Promise<PastEntry[]>;
  /** The journal, newest first. */
  changes(query: ChangesQuery & { readonly limit: number }): Promise<ChangeSet[]>;
}

/** One transaction. Everything it awaits is the database. */
export interface ContentTransaction extends ContentReader {
  /** Inserts the entry or replaces what is stored under its id. */
  saveEntry(entry: Entry): Promise<void>;
  saveSiteDocument(key: SiteDocumentKey, document: SiteDocument, updatedAt: number): Promise<void>;
  /** Inserts the asset or replaces what is stored under its id. */
  saveAsset(asset: StoredAsset): Promise<void>;
  /** Keeps bytes that are not there yet. */
  keepAssetFile(picture: Pick<Picture, 'hash' | 'data' | 'thumbnail'>, now: number): Promise<void>;
  /** Says that an entry was published at a path; who was so last is remembered. */
  saveRedirect(path: string, targetId: string, createdAt: number): Promise<void>;
  /** Appends to the journal. */
  addJournalEntry(entry: JournalEntry): Promise<void>;
  /** Replaces what is stored of a change that went on, and makes it the newest of the journal. */
  extendJournalEntry(entry: JournalEntry): Promise<void>;
  /** Records which change undid this one; null when it is in effect (again). */
  setUndoneBy(changeId: string, undoneBy: string | null): Promise<void>;
  /** Says which change this one took back. */
  setUndoes(changeId: string, undoes: string): Promise<void>;
}

type Choice = 'limit' | 'sort' | 'order' | 'state' | 'select';

/** A query of ContentBackend with every default filled in. */
export type EntryListQuery = Omit<EntryQuery, 'text' | Choice> & {
  readonly [Name in Choice]: NonNullable<EntryQuery[Name]>;
} & {
  readonly type: EntryType | undefined;
  /** Each must be in the title, the slug or the excerpt. */
  readonly words: readonly string[];
};

/** Storage of the embedded backend. */
export interface ContentStore extends ContentReader {
  /** Runs `work` in one write transaction; nothing is written when it throws. It may run more than once. */
  write<T>(work: (tx: ContentTransaction) => Promise<T>): Promise<T>;
  /** A page of entries, see ContentBackend.query; every choice is made. */
  listEntries(query: EntryListQuery): Promise<Omit<EntryPage, 'items'> & { readonly items: readonly EntryLine[] }>;
  /** See ContentBackend.statusCounts. */
  statusCounts(type: EntryType): Promise<Record<EntryStatus, number>>;
  /** Newest first. */
  listAssets(
    query: AssetQuery & { readonly limit: number },
  ): Promise<{ items: StoredAsset[]; total: number; nextCursor: string | null }>;
  /** Number of all pictures, those in the trash included. */
  countAssets(): Promise<number>;
  assetFile(hash: string, size: 'full' | 'thumb'): Promise<Uint8Array | null>;
  /** Names of all live entries, oldest first. */
  entryNames(type?: EntryType): Promise<EntryName[]>;
  /** Paths at which entries were published once, newest first. */
  redirects(): Promise<{ from: string; targetId: string; createdAt: number }[]>;
  /** Tags of live drafts, the most used first. */
  tags(type?: EntryType): Promise<{ tag: string; count: number }[]>;
  /** All live entries. */
  entries(type?: EntryType): Promise<Entry[]>;
}

/** Author and time (epoch milliseconds) of a write. */
export interface WriteContext {
  readonly origin: ChangeOrigin;
  readonly now: number;
}

/** Parts of an asset that a change can alter: the `before` and `after` of its journal. */
const assetStateSchema = z.object({
  hash: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  alt: z.string(),
  tags: z.array(z.string()),
  deletedAt: z.number().nullable(),
});
export type AssetState = z.infer<typeof assetStateSchema>;

/** An asset as it is stored: its bytes are named by their hash. */
export interface StoredAsset extends AssetState {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state of an asset as the journal keeps it, always in one order. */
export function assetStateOf(asset: AssetState): AssetState {
  const { hash, filename, mediaType, size, width, height, alt, tags, deletedAt } = asset;
  return { hash, filename, mediaType, size, width, height, alt, tags, deletedAt };
}

/** The state as plain JSON. */
export function assetStateToJson(state: AssetState): JsonValue {
  return toJson(assetStateOf(state));
}

/** A state from the journal; null where the asset did not exist yet. */
export function assetStateFromJson(value: JsonValue): AssetState | null {
  return value === null ? null : assetStateSchema.parse(value);
}

/** The last part of a picture's address: it tells people (and search engines) what it is. */
export function servedName({ filename, mediaType }: Pick<AssetState, 'filename' | 'mediaType'>): string {
  const words = latinWords(filename.replace(/\.[^.]{1,10}$/, '')) || 'picture';
  return `${words}.${pictureExtensions[mediaType] ?? 'bin'}`;
}

/** Name of the bytes of a picture. */
export function versionOf({ hash }: Pick<AssetState, 'hash'>): string {
  return hash.slice(0, 16);
}

/** An asset as it is shown. The thumbnail of what is in the trash is for the owner alone. */
export function toAsset({ hash, ...asset }: StoredAsset): Asset {
  const url = `/media/${asset.id}/${servedName(asset)}`;
  const base = asset.deletedAt === null ? url : `/api/content/media/${asset.id}/file`;
  // Every picture went through preparePicture, which makes no other kinds.
  const mediaType = asset.mediaType as Asset['mediaType'];
  return { ...asset, mediaType, url, thumbnailUrl: `${base}?size=thumb`, version: versionOf({ hash }) };
}
