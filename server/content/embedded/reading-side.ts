import type { ContentBackend } from '#server/content/content-backend';
import { describeType, listTypes } from '#server/content/content-types';
import type { ContentStore } from '#server/content/embedded/content-store';
import { pathOfEntry, placeReader } from '#server/content/embedded/entry-paths';
import { findEntry, getEntry } from '#server/content/embedded/find-entry';
import { queryEntries } from '#server/content/embedded/query-entries';
import { readNavigation, readSettings } from '#server/content/embedded/site-document-writes';
import type { SiteAddresses } from '#server/content/known-places';
import { findReferences } from '#server/content/references';
import { searchEntries } from '#server/content/search-entries';
import { locate, pathOfPlace } from '#server/content/site-paths';
import { validateEntry } from '#server/content/validate-entry';
import type { Redirect } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

const BACKEND = 'embedded';
const DEFAULT_HITS = 10;
const MAX_HITS = 100;

async function siteAddresses(store: ContentStore): Promise<SiteAddresses> {
  const [entries, { homeSlug }, redirects] = await Promise.all([
    store.entries(),
    readSettings(store),
    store.redirects(),
  ]);
  return { entries, homeSlug, redirects };
}

/** Those that still lead on: what is published at a path itself goes before a redirect from there. */
async function listRedirects(store: ContentStore): Promise<Redirect[]> {
  const reader = placeReader(store);
  const redirects: Redirect[] = [];
  for (const { from, targetId, createdAt } of await store.redirects()) {
    const target = await store.place(targetId);
    const found = await locate(reader, from, 'published');
    if (target === null || found?.kind === 'entry') continue;
    const to = target.publishedSlug === null ? null : await pathOfPlace(reader, target, 'published');
    redirects.push({ from, targetType: target.type, targetId, to, createdAt });
  }
  return redirects;
}

type ReadingSide =
  | 'capabilities'
  | 'types'
  | 'type'
  | 'query'
  | 'find'
  | 'get'
  | 'getBySection'
  | 'refOf'
  | 'findByPath'
  | 'pathOf'
  | 'previewUrl'
  | 'search'
  | 'referencesTo'
  | 'validate'
  | 'redirects'
  | 'tags';

/** All of the port that reads entries and says where they are. */
export function createReadingSide(store: ContentStore, hasAssets: boolean): Pick<ContentBackend, ReadingSide> {
  return {
    capabilities: () => ({
      backend: BACKEND,
      drafts: true,
      trash: true,
      versions: true,
      undo: true,
      hierarchy: true,
      tags: true,
      seo: true,
      redirects: true,
      navigation: true,
      settings: true,
      assets: hasAssets,
      scheduling: true,
      preconditions: true,
    }),
    types: async () => listTypes(),
    type: async (name) => describeType(name),
    query: (query) => queryEntries(store, query),
    find: (ref, type) => findEntry(store, ref, type),
    get: (ref, type) => getEntry(store, ref, type),

    async getBySection(sectionId) {
      const [owner] = await store.sectionOwners([sectionId]);
      const entry = owner === undefined ? null : await store.entry(owner.entryId);
      if (entry === null) throw new NotFoundError('section', sectionId.slice(0, 80));
      return entry;
    },

    refOf: ({ type, id, createdAt }) => ({ backend: BACKEND, type, id, createdAt }),

    async findByPath(path, state) {
      const found = await locate(placeReader(store), path, state);
      if (found === null) return null;
      if (found.kind === 'redirect') return { kind: 'redirect', to: found.to };
      const entry = await store.entry(found.id);
      return entry === null ? null : { kind: 'entry', entry };
    },

    pathOf: (entry, state) => pathOfEntry(store, entry, state),

    async previewUrl(entry) {
      const path = await pathOfEntry(store, entry, 'draft');
      return path === '/' ? '/preview' : `/preview${path}`;
    },

    async search({ text, type, limit = DEFAULT_HITS }) {
      const hits = searchEntries(await store.entries(type), text.slice(0, 500));
      return hits.slice(0, Math.max(1, Math.min(limit, MAX_HITS)));
    },

    async referencesTo(target) {
      const [addresses, navigation] = await Promise.all([siteAddresses(store), readNavigation(store)]);
      return findReferences(target, { ...addresses, navigation });
    },

    async validate(entryId) {
      const entry = await store.entry(entryId);
      if (entry === null || entry.deletedAt !== null) throw new NotFoundError('entry', entryId.slice(0, 80));
      return validateEntry(entry, {
        ...(await siteAddresses(store)),
        async hasAsset(id) {
          const asset = await store.asset(id);
          return asset !== null && asset.deletedAt === null;
        },
      });
    },

    redirects: () => listRedirects(store),
    tags: (type) => store.tags(type),
  };
}
