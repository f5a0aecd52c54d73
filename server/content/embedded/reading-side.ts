import { z } from 'zod';
import type { ContentBackend, EntryQuery } from '#server/content/content-backend';
import type { EntryPage, TypeDetail, TypeSummary } from '#server/core/site-lists';
import type { ContentStore, EntryLine } from '#server/content/embedded/content-store';
import { findByPath, pathOfEntry, placeReader } from '#server/content/embedded/entry-paths';
import { readNavigation, readSettings } from '#server/content/embedded/site-document-writes';
import { searchEntries } from '#server/content/search-entries';
import { quotedTitle } from '#server/content/change-summary';
import { foldText, nearMatches } from '#server/core/compare-texts';
import { documentFieldSchemas } from '#server/core/document-fields';
import { type CheckedSite, findReferences, validateEntry } from '#server/content/entry-links';
import { describeSectionType, fieldDetails, fieldsLine } from '#server/content/section-types';
import { locate, pathOfPlace, type Place, rememberPlaces, type SiteAddresses } from '#server/content/site-paths';
import { placesOf } from '#server/content/text-places';
import { leadsOnIn, POSTS_SEGMENT } from '#server/core/addresses';
import {
  type Entry,
  type EntryDocument,
  type EntryType,
  entryTypes,
  type Redirect,
  type SectionType,
  sectionTypes,
} from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { sectionFieldSchemas } from '#server/core/section-fields';

const BACKEND = 'embedded';
const DEFAULT_HITS = 10;
const MAX_HITS = 100;

async function siteAddresses(store: ContentStore): Promise<SiteAddresses> {
  const [entries, settings, redirects] = await Promise.all([store.entries(), readSettings(store), store.redirects()]);
  return { entries, homeSlug: settings.homeSlug, redirects, leadsOn: leadsOnIn(settings.redirects) };
}

/** Redirects that are in effect: a published entry at a path goes before a redirect from there. */
async function listRedirects(store: ContentStore): Promise<Redirect[]> {
  const reader = placeReader(store);
  const redirects: Redirect[] = [];
  for (const { from, targetId, createdAt } of await store.redirects()) {
    const target = await store.place(targetId);
    // What is in the trash has no place.
    const targetType = target?.type ?? (await store.entry(targetId))?.type;
    const found = await locate(reader, from, 'published');
    if (targetType === undefined || found?.kind === 'entry') continue;
    const isPublished = target !== null && target.publishedSlug !== null;
    const to = isPublished ? await pathOfPlace(reader, target, 'published') : null;
    redirects.push({ from, targetType, targetId, to, createdAt });
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
  | 'statusCounts'
  | 'findByPath'
  | 'pathOf'
  | 'previewUrl'
  | 'editUrl'
  | 'cautions'
  | 'look'
  | 'lookFile'
  | 'search'
  | 'entriesWith'
  | 'referencesTo'
  | 'validate'
  | 'redirects'
  | 'tags';

/** What there is beside the entries. */
interface Surroundings extends Pick<CheckedSite, 'hasAnchors' | 'hasPicture'> {
  readonly hasAssets: boolean;
}

/** All of the port that reads entries and says where they are. */
export function createReadingSide(
  store: ContentStore,
  { hasAssets, ...checked }: Surroundings,
): Pick<ContentBackend, ReadingSide> {
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
    statusCounts: (type) => store.statusCounts(type),
    find: (ref, type) => findEntry(store, ref, type),
    get: (ref, type) => getEntry(store, ref, type),

    async getBySection(sectionId) {
      const [owner] = await store.sectionOwners([sectionId]);
      const entry = owner === undefined ? null : await store.entry(owner.entryId);
      if (entry === null) throw await noSection(store, sectionId.slice(0, 80).toWellFormed());
      return entry;
    },

    refOf: ({ type, id, createdAt }) => ({ backend: BACKEND, type, id, createdAt }),

    findByPath: (path, state) => findByPath(store, path, state),

    pathOf: (entry, state) => pathOfEntry(store, entry, state),

    async previewUrl(entry) {
      const path = await pathOfEntry(store, entry, 'draft');
      return path === '/' ? '/preview' : `/preview${path}`;
    },

    editUrl: () => Promise.resolve(null),
    cautions: () => Promise.resolve([]),
    look: () => Promise.resolve(null),
    lookFile: (path) => Promise.reject(new NotFoundError('file of the site', path.slice(0, 80))),

    async search({ text, type, limit = DEFAULT_HITS }) {
      const hits = searchEntries(await store.entries(type), text.slice(0, 500));
      return hits.slice(0, Math.max(1, Math.min(limit, MAX_HITS)));
    },

    async entriesWith(query, type) {
      const holds = (document: EntryDocument | null) => document !== null && placesOf(document, query).length > 0;
      return (await store.entries(type)).filter(({ draft, published }) => holds(draft) || holds(published));
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

const SECTION = /^sec_/;

function sectionsOf({ type, draft }: Entry): string {
  const sections = draft.sections.map(({ id, type: of }) => `${id} (${of})`).join(', ');
  return `It is the ${type} ${quotedTitle(draft.title)}, which has ${sections === '' ? 'no sections' : `the sections ${sections}`}.`;
}

/** Names the section whose id looks most like one that no section has. */
async function noSection(store: ContentStore, sectionId: string): Promise<NotFoundError> {
  const entry = await store.entry(sectionId);
  if (entry !== null) return new NotFoundError('section', sectionId, sectionsOf(entry));
  const sections = (await store.entries()).flatMap(({ draft }) =>
    draft.sections.map(({ id, type }) => ({ key: id.replace(SECTION, ''), id, type, title: draft.title })),
  );
  // All of them begin alike, which makes none of them near.
  const [near] = nearMatches(
    sectionId.replace(SECTION, ''),
    sections.map(({ key }) => key),
  );
  const found = sections.find(({ key }) => key === near);
  const hint = found && `Did you mean ${found.id} (${found.type}, in ${quotedTitle(found.title)})?`;
  return new NotFoundError('section', sectionId, hint);
}

/** No id, slug or title is longer. */
const MAX_REF_LENGTH = 300;

/** Finds an entry by its slug (of the draft, else of what is published), or by a path, whose last segment is the slug. */
async function bySlug(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const slug = ref.replace(/\/$/, '').replace(/^\/(?:.*\/)?/, '');
  const isHome = slug === '' && types.includes('page');
  if (isHome) {
    const { homeSlug } = await readSettings(store);
    return (await store.entryByPublishedSlug('page', homeSlug)) ?? store.entryBySlug('page', homeSlug);
  }
  const ordered = ref.startsWith(`/${POSTS_SEGMENT}/`) ? types.toReversed() : types;
  for (const type of ordered) {
    const entry = await store.entryBySlug(type, slug);
    if (entry !== null) return entry;
  }
  for (const type of ordered) {
    const entry = await store.entryByPublishedSlug(type, slug);
    if (entry !== null) return entry;
  }
  return null;
}

/** Finds an entry by a path at which it was published once. */
async function byFormerPath(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const id = ref.startsWith('/') ? await store.redirectTarget(ref.replace(/\/$/, '')) : null;
  const entry = id === null ? null : await store.entry(id);
  return entry !== null && entry.deletedAt === null && types.includes(entry.type) ? entry : null;
}

async function byTitle(store: ContentStore, ref: string, type: EntryType | undefined): Promise<Entry | null> {
  const folded = foldText(ref.trim());
  const named = (await store.entryNames(type)).filter(({ title }) => foldText(title) === folded);
  const [found] = [...named.filter((name) => name.type === 'page'), ...named];
  return found === undefined ? null : store.entry(found.id);
}

/** See ContentBackend.find. Pages go before posts, older before newer; a slug may be written as a path. */
async function findEntry(store: ContentStore, ref: string, type?: EntryType): Promise<Entry | null> {
  if (ref.length > MAX_REF_LENGTH || ref.trim() === '') return null;
  const entry = await store.entry(ref);
  if (entry !== null && entry.deletedAt === null && (type === undefined || entry.type === type)) return entry;
  const types = type === undefined ? entryTypes : [type];
  return (await bySlug(store, ref, types)) ?? (await byFormerPath(store, ref, types)) ?? byTitle(store, ref, type);
}

/** See ContentBackend.get. */
async function getEntry(store: ContentStore, ref: string, type?: EntryType): Promise<Entry> {
  const entry = await findEntry(store, ref, type);
  if (entry !== null) return entry;
  const names = await store.entryNames(type);
  const near = nearMatches(ref, [...new Set(names.map(({ title }) => title))]);
  const hint = near.length === 0 ? undefined : `Did you mean ${near.map((title) => `"${title}"`).join(' or ')}?`;
  throw new NotFoundError(type ?? 'page or post', ref.slice(0, 80).toWellFormed(), hint);
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Most words of a filter by text that are looked at. */
const MAX_WORDS = 12;

/** Its address in the state that was asked about is all that is known, and all that counts. */
function placeOfLine({ id, type, slug, parent }: EntryLine): Place {
  const above = parent ?? null;
  return { id, type, slug, parent: above, publishedSlug: slug, publishedParent: above };
}

/** See ContentBackend.query. */
async function queryEntries(store: ContentStore, query: EntryQuery): Promise<EntryPage> {
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
  const reader = rememberPlaces(placeReader(store));
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
  if (section !== undefined) return { ...sectionType(section), fields: fieldDetails(sectionFieldSchemas[section]) };
  const hint = `The types are ${[...entryTypes, ...sectionTypes].join(', ')}.`;
  throw new NotFoundError('type', name.slice(0, 80).toWellFormed(), hint);
}
