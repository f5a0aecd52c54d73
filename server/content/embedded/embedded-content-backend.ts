import type { ContentBackend } from '#server/content/content-backend';
import type { ContentStore } from '#server/content/embedded/content-store';
import {
  createEntry,
  deleteEntry,
  patchEntry,
  publishEntry,
  restoreEntry,
  unpublishEntry,
} from '#server/content/embedded/entry-writes';
import { findEntry, getEntry } from '#server/content/embedded/find-entry';
import {
  readNavigation,
  readSettings,
  writeNavigation,
  writeSettings,
} from '#server/content/embedded/site-document-writes';
import { undoChange } from '#server/content/embedded/undo-change';
import { searchEntries } from '#server/content/search-entries';
import type { ChangeOrigin } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
const SEARCH_LIMIT = 10;

/** A session's whole record is read from its revisions. */
const MAX_REVISIONS = 20_000;

/** At least 1, at most `most`. */
function bounded(limit: number | undefined, fallback = DEFAULT_LIMIT, most = MAX_LIMIT): number {
  return Math.max(1, Math.min(limit ?? fallback, most));
}

export interface EmbeddedContentOptions {
  /** Epoch milliseconds; the time of every write. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * The site kept in our own database. Every write is one transaction: it reads the present state, decides purely, and
 * stores the new state together with its journal entry, so that concurrent writers follow one another.
 */
export function createEmbeddedContentBackend(
  store: ContentStore,
  options: EmbeddedContentOptions = {},
): ContentBackend {
  const now = options.now ?? Date.now;
  const by = (origin: ChangeOrigin) => ({ origin, now: now() });
  return {
    list: ({ type, status, tag, limit, offset }) =>
      store.listEntries({ type, status, tag, limit: bounded(limit), offset: Math.max(0, offset ?? 0) }),
    find: (ref, type) => findEntry(store, ref, type),
    get: (ref, type) => getEntry(store, ref, type),
    async getBySection(sectionId) {
      const [owner] = await store.sectionOwners([sectionId]);
      const entry = owner === undefined ? null : await store.entry(owner.entryId);
      if (entry === null) throw new NotFoundError('section', sectionId.slice(0, 80));
      return entry;
    },
    findPublished: (type, slug) => store.entryByPublishedSlug(type, slug),
    listPublished: ({ type, tag, limit }) => store.publishedEntries({ type, tag, limit: bounded(limit) }),
    async search({ text, type, limit }) {
      const hits = searchEntries(await store.entries(type), text.slice(0, 500));
      return hits.slice(0, bounded(limit, SEARCH_LIMIT));
    },

    create: (entry, origin) => store.write((tx) => createEntry(tx, entry, by(origin))),
    patch: (entryId, operations, origin, writeOptions = {}) =>
      store.write((tx) => patchEntry(tx, entryId, operations, by(origin), writeOptions)),
    publish: (entryId, origin) => store.write((tx) => publishEntry(tx, entryId, by(origin))),
    unpublish: (entryId, origin) => store.write((tx) => unpublishEntry(tx, entryId, by(origin))),
    delete: (entryId, origin) => store.write((tx) => deleteEntry(tx, entryId, by(origin))),

    navigation: () => readNavigation(store),
    setNavigation: (items, origin) => store.write((tx) => writeNavigation(tx, items, by(origin))),
    settings: () => readSettings(store),
    updateSettings: (patch, origin) => store.write((tx) => writeSettings(tx, patch, by(origin))),

    revisions: ({ targetId, sessionId, limit }) =>
      store.changes({ targetId, sessionId, limit: bounded(limit, DEFAULT_LIMIT, MAX_REVISIONS) }),
    restore: (entryId, revision, origin) => store.write((tx) => restoreEntry(tx, entryId, revision, by(origin))),
    undo: (changeId, origin) => store.write((tx) => undoChange(tx, changeId, by(origin))),
  };
}
