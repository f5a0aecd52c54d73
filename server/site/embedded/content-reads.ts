import { z } from 'zod';
import type { ContentBackend, EntryQuery } from '#server/site/content-backend';
import type { EntryPage } from '#server/core/site/site-lists';
import type { TypeDetail, TypeSummary } from '#server/core/site/type-descriptions';
import type { ContentStore, EntryLine } from '#server/site/embedded/content-store';
import { findByPath, pathOfEntry, placeReader } from '#server/site/embedded/entry-paths';
import { readNavigation, readSettings } from '#server/site/embedded/site-settings-writes';
import { searchEntries } from '#server/site/text/search-entries';
import { documentFieldSchemas } from '#server/core/site/document-fields';
import { findReferences } from '#server/site/find-references';
import { type CheckedSite, validateEntry } from '#server/site/validate-entry';
import { describeSectionType } from '#server/site/section-types';
import {
  locate,
  pathOfPlace,
  type Place,
  type PlaceReader,
  rememberPlaces,
  type SiteAddresses,
} from '#server/site/site-paths';
import { placesOf } from '#server/site/text/text-places';
import { parseRedirects } from '#server/core/site/manual-redirects';
import {
  type EntryDocument,
  type EntryType,
  entryTypes,
  type Redirect,
  type SectionType,
  sectionTypes,
} from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { sectionDefinitions } from '#sections/fields';
import { fieldDetails, fieldsLine } from '#server/site/field-descriptions';
import { findEntry, getEntry, sectionNotFound } from '#server/site/embedded/find-entry';

const BACKEND = 'embedded';
/** Default and largest number of search results. */
const DEFAULT_HITS = 10;
const MAX_HITS = 100;

async function siteAddresses(store: ContentStore): Promise<SiteAddresses> {
  const [entries, settings, redirects] = await Promise.all([store.entries(), readSettings(store), store.redirects()]);
  return { entries, homeSlug: settings.homeSlug, redirects, manualRedirects: parseRedirects(settings.redirects) };
}

/** Redirects that are in effect: a published entry at a path takes precedence over a redirect from it. */
async function listRedirects(store: ContentStore): Promise<Redirect[]> {
  const reader = placeReader(store);
  const redirects: Redirect[] = [];
  for (const { from, targetId, createdAt } of await store.redirects()) {
    const target = await store.place(targetId);
    // Trashed entries have no path.
    const targetType = target?.type ?? (await store.entry(targetId))?.type;
    const found = await locate(reader, from, 'published');
    if (targetType === undefined || found?.kind === 'entry') continue;
    const isPublished = target !== null && target.publishedSlug !== null;
    const to = isPublished ? await pathOfPlace(reader, target, 'published') : null;
    redirects.push({ from, targetType, targetId, to, createdAt });
  }
  return redirects;
}

type ReadMethod =
  | 'capabilities'
  | 'types'
  | 'type'
  | 'query'
  | 'find'
  | 'get'
  | 'getBySection'
  | 'refOf'
  | 'statusCounts'
  | 'findByPath'
  | 'pathOf'
  | 'addressOf'
  | 'previewUrl'
  | 'editUrl'
  | 'cautions'
  | 'unreadPlaces'
  | 'themePreview'
  | 'themeFile'
  | 'search'
  | 'entriesWith'
  | 'referencesTo'
  | 'validate'
  | 'redirects'
  | 'tags';

/** What the site supports. */
interface SiteFeatures {
  readonly hasAnchors: CheckedSite['hasAnchors'];
  readonly cleansHtml: CheckedSite['cleansHtml'];
  readonly hasPicture?: CheckedSite['hasPicture'];
  readonly hasAssets: boolean;
}

/** The part of the CMS adapter that reads entries and finds their addresses. */
export function createContentReads(
  store: ContentStore,
  { hasAssets, ...checked }: SiteFeatures,
): Pick<ContentBackend, ReadMethod> {
  const homePage = new HomePageGuess();
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
    query: (query) => queryEntries(store, query, homePage),
    statusCounts: (type) => store.statusCounts(type),
    find: (ref, type) => findEntry(store, ref, type),
    get: (ref, type) => getEntry(store, ref, type),

    async getBySection(sectionId) {
      const [owner] = await store.sectionOwners([sectionId]);
      const entry = owner === undefined ? null : await store.entry(owner.entryId);
      if (entry === null) throw await sectionNotFound(store, sectionId.slice(0, 80).toWellFormed());
      return entry;
    },

    refOf: ({ type, id, createdAt }) => ({ backend: BACKEND, type, id, createdAt }),

    findByPath: (path, state) => findByPath(store, path, state),

    pathOf: (entry, state) => pathOfEntry(store, entry, state),
    addressOf: (entry, state) => pathOfEntry(store, entry, state),

    async previewUrl(entry) {
      const path = await pathOfEntry(store, entry, 'draft');
      return path === '/' ? '/preview' : `/preview${path}`;
    },

    editUrl: () => Promise.resolve(null),
    cautions: () => Promise.resolve([]),
    unreadPlaces: () => Promise.resolve([]),
    themePreview: () => Promise.resolve(null),
    themeFile: (path) => Promise.reject(new NotFoundError('file of the site', path.slice(0, 80))),

    async search({ text, type, limit = DEFAULT_HITS }) {
      const hits = searchEntries(await store.entries(type), text.slice(0, 500));
      return hits.slice(0, Math.max(1, Math.min(limit, MAX_HITS)));
    },

    async entriesWith(query, type) {
      const contains = (document: EntryDocument | null) => document !== null && placesOf(document, query).length > 0;
      return (await store.entries(type)).filter(({ draft, published }) => contains(draft) || contains(published));
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
        ...checked,
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

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Largest number of words in a text filter that are used. */
const MAX_WORDS = 12;

/** The place of a list item. A list contains the address in the requested state only, which is used for both states. */
function placeOfLine({ id, type, slug, parent }: EntryLine): Place {
  const parentId = parent ?? null;
  return { id, type, slug, parent: parentId, publishedSlug: slug, publishedParent: parentId };
}

/**
 * The home page as it was read last. Paths need its slug, from the settings, and then the page with that slug: reading the
 * page of the former slug at the same time saves a round trip to a database server, and costs nothing if the slug is
 * another one by now.
 */
class HomePageGuess {
  #slug: string | null = null;

  /** Begins to read what the paths of entries depend on. */
  prefetch(reader: PlaceReader): void {
    const slug = this.#slug;
    const ahead = [
      reader.homeSlug().then((current) => (this.#slug = current)),
      slug === null ? null : reader.placeBySlug('page', slug, 'published'),
    ];
    // A failure is reported by the read that needs the result.
    for (const reading of ahead) reading?.catch(() => undefined);
  }
}

/** See ContentBackend.query. */
async function queryEntries(store: ContentStore, query: EntryQuery, homePage: HomePageGuess): Promise<EntryPage> {
  const reader = rememberPlaces(placeReader(store));
  if (query.type !== 'post') homePage.prefetch(reader);
  const state = query.state ?? 'draft';
  const sort = query.sort ?? (state === 'published' ? 'published' : 'updated');
  const page = await store.listEntries({
    type: query.type,
    state,
    status: query.status,
    scheduled: query.scheduled,
    tag: query.tag,
    parent: query.parent,
    words: (query.text ?? '').slice(0, 500).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS),
    sort,
    order: query.order ?? (sort === 'title' || sort === 'scheduled' ? 'asc' : 'desc'),
    select: query.select ?? [],
    limit: Math.max(1, Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT)),
    cursor: query.cursor,
  });
  const shown = state === 'published' ? 'published' : 'draft';
  const items = await Promise.all(
    page.items.map(async (item) => ({ ...item, path: await pathOfPlace(reader, placeOfLine(item), shown) })),
  );
  return { ...page, items };
}

const { title, slug, parent, terms: _terms, custom: _custom, ...optionalFields } = documentFieldSchemas;
const post = z.object({ title, slug, ...z.object(optionalFields).partial().shape });
const entryShapes: Record<EntryType, z.ZodObject> = { page: post.extend({ parent: parent.optional() }), post };
const entryPurposes: Record<EntryType, string> = {
  page: 'At a path of its own, below its parent.',
  post: 'Below /blog, newest first.',
};

function entryType(name: EntryType): TypeSummary {
  return { name, description: `${entryPurposes[name]} ${fieldsLine(entryShapes[name])}, sections` };
}

function sectionType(name: SectionType): TypeSummary {
  return { name, description: describeSectionType(name) };
}

/** See ContentBackend.types. */
function listTypes(): { entries: readonly TypeSummary[]; sections: readonly TypeSummary[] } {
  return { entries: entryTypes.map(entryType), sections: sectionTypes.map(sectionType) };
}

/** See ContentBackend.type. */
function describeType(name: string): TypeDetail {
  const entry = entryTypes.find((type) => type === name);
  if (entry !== undefined) return { ...entryType(entry), fields: fieldDetails(entryShapes[entry]) };
  const section = sectionTypes.find((type) => type === name);
  if (section !== undefined)
    return { ...sectionType(section), fields: fieldDetails(sectionDefinitions[section].fields) };
  const hint = `The types are ${[...entryTypes, ...sectionTypes].join(', ')}.`;
  throw new NotFoundError('type', name.slice(0, 80).toWellFormed(), hint);
}
