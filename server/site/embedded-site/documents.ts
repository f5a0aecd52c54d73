import { designPictures } from '#server/core/site/design/design';
import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import type {
  EntriesChange,
  EntryPatch,
  EntryQuery,
  NewEntry,
  PatchOptions,
  PathMatch,
  SiteDocuments,
  UnreadPlace,
} from '#server/site/content-backend';
import { createEntry, patchEntries, patchEntry } from '#server/site/embedded/entry-writes';
import { restoreFromTrash, trashEntry } from '#server/site/embedded/trash';
import type { SiteWriter } from '#server/site/embedded/site-writer';
import { withLostHomeNotes } from '#server/site/embedded-site/publishing';
import type { ChangeOrigin, DryRunOption, EntryChange, WriteOptions } from '#server/core/site/changes';
import type { ServerText } from '#server/core/coded-message';
import { notesFrom, textsOfNotes } from '#server/core/message-data';
import type { EntryPage } from '#server/core/site/site-lists';
import type { TypeDetail, TypeSummary } from '#server/core/site/type-descriptions';
import type { ContentStore, EntryLine } from '#server/site/embedded/content-store';
import { findByPath, pathOfEntry, placeReader } from '#server/site/embedded/entry-paths';
import { hiddenMenuItems } from '#server/site/embedded-site/hidden-menu-items';
import { readDesign } from '#server/site/embedded/design-writes';
import { readNavigation, readSettings } from '#server/site/embedded/site-settings-writes';
import { findMatch, type SearchHit, searchEntries } from '#server/site/text/search-entries';
import { documentFieldSchemas } from '#server/core/site/document-fields';
import { findReferences } from '#server/site/find-references';
import { type CheckedSite, removedMarkup, validateEntry } from '#server/site/validate-entry';
import { describeSectionType } from '#server/site/section-types';
import {
  locate,
  pathOfPlace,
  type Place,
  type PlaceReader,
  rememberPlaces,
  type SiteAddresses,
} from '#server/site/site-paths';
import { placesOf, type TextQuery } from '#server/site/text/text-places';
import { parseRedirects } from '#server/core/site/manual-redirects';
import {
  type Entry,
  type EntryDocument,
  type EntryStatus,
  type EntryType,
  entryTypes,
  type PatchOp,
  type Redirect,
  type Ref,
  type Reference,
  type Target,
  type ValidationIssue,
  type SectionType,
  sectionTypes,
  type HiddenMenuItem,
} from '#server/core/site/content';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { sectionDefinitions } from '#sections/fields';
import { fieldDetails, fieldsLine } from '#server/site/field-descriptions';
import { findEntry, getEntry, sectionNotFound } from '#server/site/embedded-site/find-entry';

/** Name of the built-in site as an adapter. */
export const EMBEDDED_BACKEND = 'embedded';
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

/** Fields of the document that operations set. */
function fieldsSetBy(operations: readonly PatchOp[]): string[] {
  return operations.flatMap((operation) => (operation.op === 'set' ? operation.field : []));
}

/** Notes about elements that the site removes from HTML sections which a change has written. */
function removedNotes({ entry, change }: EntryChange): ServerText[] {
  const written = new Set(
    change.operations.flatMap((operation) => {
      if (operation.op === 'insert-section') return operation.section.id;
      return operation.op === 'set-section' ? operation.sectionId : [];
    }),
  );
  const sections = entry.draft.sections.filter(({ id }) => change.action === 'create' || written.has(id));
  return sections.flatMap((section) => removedMarkup(section) ?? []);
}

/** What the site supports, and what it checks. */
export interface DocumentsOptions {
  /**
   * True for the copy of a connected site: entries have other terms than tags and custom fields, and the CMS renders the
   * pages, with its own anchors.
   */
  readonly isConnected: boolean;
  /** Checks if a picture that is not in the library exists at a path of the site. Default: unknown. */
  readonly hasPicture?: CheckedSite['hasPicture'];
}

/** The entries of a site in the local database. */
export class EmbeddedDocuments implements SiteDocuments {
  readonly #store: ContentStore;
  readonly #writer: SiteWriter;
  readonly #options: DocumentsOptions;
  readonly #homePage = new HomePageGuess();

  constructor(store: ContentStore, writer: SiteWriter, options: DocumentsOptions) {
    this.#store = store;
    this.#writer = writer;
    this.#options = options;
  }

  async types(): Promise<{ entries: readonly TypeSummary[]; sections: readonly TypeSummary[] }> {
    return { entries: entryTypes.map(entryType), sections: sectionTypes.map(sectionType) };
  }

  async type(name: string): Promise<TypeDetail> {
    return describeType(name);
  }

  query(query: EntryQuery): Promise<EntryPage> {
    return queryEntries(this.#store, query, this.#homePage);
  }

  statusCounts(type: EntryType): Promise<Record<EntryStatus, number>> {
    return this.#store.statusCounts(type);
  }

  find(ref: string, type?: EntryType): Promise<Entry | null> {
    return findEntry(this.#store, ref, type);
  }

  get(ref: string, type?: EntryType): Promise<Entry> {
    return getEntry(this.#store, ref, type);
  }

  async getBySection(sectionId: string): Promise<Entry> {
    const [owner] = await this.#store.sectionOwners([sectionId]);
    const entry = owner === undefined ? null : await this.#store.entry(owner.entryId);
    if (entry === null) throw await sectionNotFound(this.#store, sectionId.slice(0, 80).toWellFormed());
    return entry;
  }

  refOf({ type, id, createdAt }: Entry): Ref {
    return { backend: EMBEDDED_BACKEND, type, id, createdAt };
  }

  findByPath(path: string, state: 'published' | 'draft'): Promise<PathMatch | null> {
    return findByPath(this.#store, path, state);
  }

  hiddenMenuItems(state: 'published' | 'draft'): Promise<HiddenMenuItem[]> {
    return hiddenMenuItems(this.#store, state, async () => {
      const { items } = await this.query({ state: 'trashed', limit: MAX_LIMIT });
      return new Set(items.map(({ path }) => path));
    });
  }

  pathOf(entry: Entry, state: 'published' | 'draft'): Promise<string> {
    return pathOfEntry(this.#store, entry, state);
  }

  addressOf(entry: Entry, state: 'published' | 'draft'): Promise<string> {
    return pathOfEntry(this.#store, entry, state);
  }

  async previewUrl(entry: Entry): Promise<string> {
    const path = await pathOfEntry(this.#store, entry, 'draft');
    return path === '/' ? '/preview' : `/preview${path}`;
  }

  async editUrl(): Promise<null> {
    return null;
  }

  async cautions(): Promise<readonly ServerText[]> {
    return [];
  }

  async unreadPlaces(): Promise<readonly UnreadPlace[]> {
    return [];
  }

  async themePreview(): Promise<null> {
    return null;
  }

  async themeFile(path: string): Promise<never> {
    throw new NotFoundError('file of the site', path.slice(0, 80));
  }

  async search({
    text,
    type,
    limit = DEFAULT_HITS,
  }: {
    text: string;
    type?: EntryType | undefined;
    limit?: number | undefined;
  }): Promise<SearchHit[]> {
    const hits = searchEntries(await this.#store.entries(type), text.slice(0, 500));
    return hits.slice(0, Math.max(1, Math.min(limit, MAX_HITS)));
  }

  async entriesWith(query: string | TextQuery, type?: EntryType): Promise<Entry[]> {
    const contains = (document: EntryDocument | null) => document !== null && placesOf(document, query).length > 0;
    return (await this.#store.entries(type)).filter(({ draft, published }) => contains(draft) || contains(published));
  }

  async referencesTo(target: Target): Promise<Reference[]> {
    const [addresses, navigation, { icon }, design] = await Promise.all([
      siteAddresses(this.#store),
      readNavigation(this.#store),
      readSettings(this.#store),
      readDesign(this.#store),
    ]);
    const pictures = [icon, ...designPictures(design.published)];
    return findReferences(target, { ...addresses, navigation, pictures });
  }

  async validate(entryId: string): Promise<ValidationIssue[]> {
    const entry = await this.#store.entry(entryId);
    if (entry === null || entry.deletedAt !== null) throw new NotFoundError('entry', entryId.slice(0, 80));
    const { isConnected, hasPicture } = this.#options;
    return validateEntry(entry, {
      ...(await siteAddresses(this.#store)),
      hasAnchors: !isConnected,
      cleansHtml: !isConnected,
      hasPicture,
      hasAsset: async (id) => {
        const asset = await this.#store.asset(id);
        return asset !== null && asset.deletedAt === null;
      },
    });
  }

  redirects(): Promise<Redirect[]> {
    return listRedirects(this.#store);
  }

  tags(type?: EntryType): Promise<{ tag: string; count: number }[]> {
    return this.#store.tags(type);
  }

  authors(): Promise<{ author: string; count: number }[]> {
    return this.#store.authors();
  }

  create(entry: NewEntry, origin: ChangeOrigin, options?: DryRunOption): Promise<EntryChange> {
    return this.#writer.write(
      async (tx, context) => {
        if (entry.terms !== undefined) this.#requireKnownFields(['terms']);
        return this.#withRemovedNotes(await createEntry(tx, entry, context));
      },
      origin,
      options,
    );
  }

  patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange> {
    return this.#writer.write(
      async (tx, context) => {
        this.#requireKnownFields(fieldsSetBy(operations));
        return this.#withRemovedNotes(await patchEntry(tx, entryId, operations, context, options));
      },
      origin,
      options,
    );
  }

  patchAll(patches: readonly EntryPatch[], origin: ChangeOrigin, options?: DryRunOption): Promise<EntriesChange> {
    return this.#writer.write(
      async (tx, context) => {
        this.#requireKnownFields(fieldsSetBy(patches.flatMap(({ operations }) => operations)));
        return patchEntries(tx, patches, context);
      },
      origin,
      options,
    );
  }

  trash(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#writer.write(
      (tx, context) => {
        const trash = () => trashEntry(tx, entryId, context, options);
        return this.#options.isConnected ? trash() : withLostHomeNotes(tx, entryId, trash);
      },
      origin,
      options,
    );
  }

  restore(entryId: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#writer.write((tx, context) => restoreFromTrash(tx, entryId, context, options), origin, options);
  }

  /** @throws InvalidInputError for fields that only connected sites have */
  #requireKnownFields(fields: readonly string[]): void {
    if (this.#options.isConnected) return;
    if (fields.includes('terms') || fields.includes('custom')) throw new InvalidInputError(serverText('no-own-groups'));
  }

  /** Adds notes about elements that this server removes from the written HTML. */
  #withRemovedNotes(written: EntryChange): EntryChange {
    const notes = this.#options.isConnected ? [] : removedNotes(written);
    return { ...written, ...notesFrom([...textsOfNotes(written), ...notes]) };
  }
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
  const { search, select = [] } = query;
  const standard = state === 'published' ? 'published' : 'updated';
  const sort = query.sort ?? (wordsOf(search).length > 0 ? 'relevance' : standard);
  const page = await store.listEntries({
    type: query.type,
    state,
    status: query.status,
    scheduled: query.scheduled,
    tag: query.tag,
    parent: query.parent,
    author: query.author,
    updatedFrom: query.updatedFrom,
    updatedBefore: query.updatedBefore,
    words: wordsOf(query.text),
    textWords: wordsOf(search),
    sort,
    order: query.order ?? (sort === 'title' || sort === 'scheduled' ? 'asc' : 'desc'),
    select: search === undefined ? select : [...new Set([...select, ...searchedFields])],
    limit: Math.max(1, Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT)),
    cursor: query.cursor,
  });
  const shown = state === 'published' ? 'published' : 'draft';
  const items = await Promise.all(
    page.items.map(async (item) => ({
      ...(search === undefined ? item : withMatch(item, search, select)),
      path: await pathOfPlace(reader, placeOfLine(item), shown),
    })),
  );
  return { ...page, items };
}

/** Fields that the place of a match is looked for in. */
const searchedFields = ['title', 'slug', 'excerpt', 'tags', 'terms', 'kind', 'custom', 'sections'] as const;

/** A list item with the place where a search found it, and without fields that only the search needed. */
function withMatch(item: EntryLine, search: string, select: readonly (keyof EntryDocument)[]): EntryLine {
  const { selected = {}, ...line } = item;
  const match = findMatch({ title: item.title, slug: item.slug, sections: [], ...selected }, search.slice(0, 500));
  const asked = Object.fromEntries(Object.entries(selected).filter(([field]) => select.some((each) => each === field)));
  return { ...line, ...(select.length > 0 && { selected: asked }), ...(match && { match }) };
}

function wordsOf(text = ''): string[] {
  return text.slice(0, 500).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
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
