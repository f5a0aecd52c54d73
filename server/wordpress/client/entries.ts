import { z } from 'zod';
import {
  bodyFromFields,
  type EntryAnswer,
  entryAnswerSchema,
  entryFromAnswer,
  gmtFromTime,
  type RemoteEntry,
  type RemoteEntryFields,
  remoteStatuses,
  statusFromRemote,
  timeFromGmt,
} from '#server/wordpress/client/remote-entry';
import { createSeoWriter, SEO_FIELDS } from '#server/wordpress/client/seo-fields';
import { renderedForBuilders } from '#server/wordpress/client/page-builders';
import {
  allOf,
  chunksOf,
  collect,
  createCollection,
  PER_PAGE,
  type SiteConnector,
} from '#server/wordpress/client/site-request';
import type { RemoteEntryQuery, WordPressClient } from '#server/wordpress/client/wordpress-client';
import type { EntryType } from '#server/core/content';
import { SiteUnavailableError } from '#server/core/errors';
import { htmlFromText, textFromHtml } from '#server/markup/html-tree';

/** Everything that is read; left to itself WordPress renders the content too, which takes its time. */
const FIELDS = [
  'id,type,status,password,sticky,slug,generated_slug,title.raw,content.raw,excerpt.raw',
  'parent,featured_media,tags,author,date_gmt,modified_gmt,link',
  SEO_FIELDS,
].join(',');
const EDIT = { context: 'edit', _fields: FIELDS };

const raw = z.object({ raw: z.string().default('') }).optional();
const revisionSchema = z
  .object({
    id: z.number(),
    slug: z.string().default(''),
    title: raw,
    content: raw,
    excerpt: raw,
    modified_gmt: z.string().nullish(),
  })
  .transform(({ id, slug, title, content, excerpt, modified_gmt: modified }) => ({
    id,
    isAutosave: slug.includes('-autosave-'),
    title: textFromHtml(title?.raw ?? ''),
    contentRaw: content?.raw ?? '',
    excerpt: textFromHtml(excerpt?.raw ?? ''),
    modifiedGmt: timeFromGmt(modified) ?? 0,
  }));
const headSchema = z
  .object({ id: z.number(), status: z.string(), modified_gmt: z.string().nullish(), link: z.string().default('') })
  .transform(({ id, status, modified_gmt: modified, link }) => ({
    remoteId: id,
    status: statusFromRemote(status),
    modifiedGmt: timeFromGmt(modified) ?? 0,
    link,
  }));
/** Routes of our plugin (examples/wordpress), where a site has it. */
export const COMPANION = 'throughline/v1';
const openSchema = z.object({ by: z.string().trim().max(200).nullable() });
/** Entries with all that they hold that are asked for at once: a hundred long ones are too much for small hosts. */
const ENTRIES_PER_PAGE = 40;

const routeOf = (type: EntryType, id?: number) => `/wp/v2/${type}s${id === undefined ? '' : `/${id}`}`;

/** Waits for a read that follows a write. */
async function afterWrite<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SiteUnavailableError)
      error.message += ' It was written all the same: check before you repeat it.';
    throw error;
  }
}

export function createEntries(site: SiteConnector, tags: Tags): WordPressClient['entries'] {
  const collectionOf = (type: EntryType) =>
    createCollection(site, routeOf(type), { query: EDIT, schema: entryAnswerSchema, what: type });
  const seo = createSeoWriter(site);
  const collections = { page: collectionOf('page'), post: collectionOf('post') };

  async function mapped(
    type: EntryType,
    answers: readonly EntryAnswer[],
    signal?: AbortSignal,
  ): Promise<RemoteEntry[]> {
    const names = await tags.namesOf(
      answers.flatMap((answer) => answer.tags),
      signal,
    );
    const ids = answers.map(({ id }) => id);
    const rendered = await renderedForBuilders(site, type, ids, signal);
    return answers.map((answer) => entryFromAnswer(answer, names, rendered.get(answer.id)));
  }

  async function one(type: EntryType, answer: EntryAnswer, signal?: AbortSignal): Promise<RemoteEntry> {
    const [entry] = await mapped(type, [answer], signal);
    return entry!;
  }

  async function write(type: EntryType, id: number | undefined, fields: RemoteEntryFields): Promise<RemoteEntry> {
    const named = fields.tags === undefined || type === 'page' ? undefined : await tags.idsOf(fields.tags);
    const body = { ...bodyFromFields(fields), ...(await seo.bodyOf(type, fields.seo)) };
    const made = await collections[type].write(id, { ...body, ...(named && { tags: named.ids }) });
    return afterWrite(one(type, made));
  }

  async function get(type: EntryType, id: number, signal?: AbortSignal): Promise<RemoteEntry> {
    return one(type, await collections[type].read(id, signal), signal);
  }

  async function* list(type: EntryType, query: RemoteEntryQuery = {}, signal?: AbortSignal) {
    const { modifiedSince, include, slug, statuses = remoteStatuses } = query;
    const asked = {
      ...EDIT,
      status: statuses.join(','),
      slug,
      // What was written in that very second counts too.
      modified_after: modifiedSince === undefined ? undefined : `${gmtFromTime(modifiedSince - 1_000)}Z`,
    };
    for (const ids of include === undefined ? [undefined] : chunksOf(include)) {
      const what = `${type}s`;
      const pages = allOf(site, routeOf(type), {
        query: { ...asked, include: ids?.join(',') },
        item: entryAnswerSchema,
        what,
        signal,
        perPage: ENTRIES_PER_PAGE,
      });
      for await (const { items, total } of pages) {
        yield { items: await mapped(type, items, signal), total: include?.length ?? total };
      }
    }
  }

  return {
    list,
    get,
    heads: (type, signal) =>
      collect(
        allOf(site, routeOf(type), {
          query: { context: 'edit', status: remoteStatuses.join(','), _fields: 'id,status,modified_gmt,link' },
          item: headSchema,
          what: `${type}s`,
          signal,
        }),
      ),
    create: (type, fields) => write(type, undefined, fields),
    update: (type, id, fields) => write(type, id, fields),
    async trash(type, id) {
      const { value } = await site.ask(routeOf(type, id), {
        method: 'DELETE',
        query: EDIT,
        schema: entryAnswerSchema.nullable(),
        what: type,
        id,
        onFault: ({ code }) => (code === 'rest_already_trashed' ? null : undefined),
      });
      return afterWrite(value === null ? get(type, id) : one(type, value));
    },
    restore: (type, id, status) => write(type, id, { status }),
    remove: (type, id) => collections[type].remove(id),
    async autosave(type, id, { title, contentRaw, excerpt }) {
      await site.ask(`${routeOf(type, id)}/autosaves`, {
        method: 'POST',
        query: { _fields: 'id' },
        body: { title: htmlFromText(title), content: contentRaw, excerpt: htmlFromText(excerpt) },
        schema: z.unknown(),
        what: type,
        id,
      });
    },
    async openBy(id) {
      const { namespaces } = await site.index();
      if (!namespaces.includes(COMPANION)) return null;
      const request = { schema: openSchema, what: 'editor', id };
      return (await site.ask(`/${COMPANION}/entries/${id}/open`, request)).value.by;
    },
    async revisions(type, id, most = PER_PAGE) {
      const { value } = await site.ask(`${routeOf(type, id)}/revisions`, {
        // Of revisions WordPress knows no fields within fields.
        query: { context: 'edit', _fields: 'id,slug,title,content,excerpt,modified_gmt', per_page: most },
        schema: z.array(revisionSchema),
        what: type,
        id,
        onFault: ({ code }) => (code === 'rest_no_route' ? [] : undefined),
      });
      return value;
    },
  };
}

const ROUTE = '/wp/v2/tags';
const TAG_FIELDS = 'id,name';
const tagSchema = z.object({ id: z.number().int().positive(), name: z.string() }).transform(({ id, name }) => ({
  id,
  name: textFromHtml(name),
}));

const countSchema = z.object({ id: z.number().int().positive(), count: z.number() });

export type Tags = WordPressClient['tags'] & {
  /** Names of the tags with these ids, by id. */
  namesOf(ids: readonly number[], signal?: AbortSignal): Promise<ReadonlyMap<number, string>>;
};

export function createTags(site: SiteConnector): Tags {
  const list = (query: Record<string, string>, signal?: AbortSignal) =>
    collect(allOf(site, ROUTE, { query: { ...query, _fields: TAG_FIELDS }, item: tagSchema, what: 'tags', signal }));

  async function idOf(name: string): Promise<{ readonly id: number; readonly isMade: boolean }> {
    const same = (tag: { name: string }) => tag.name.toLowerCase() === name.toLowerCase();
    const found = (await list({ search: name })).find(same);
    if (found) return { id: found.id, isMade: false };
    const { value } = await site.ask<{ id: number; isMade?: boolean }>(ROUTE, {
      method: 'POST',
      query: { _fields: TAG_FIELDS },
      body: { name },
      schema: tagSchema,
      what: 'tag',
      // Made meanwhile, or one whose name only differs in what WordPress takes for the same.
      onFault: ({ code, data }) =>
        code === 'term_exists' && data?.term_id ? { id: data.term_id, isMade: false } : undefined,
    });
    return { id: value.id, isMade: value.isMade ?? true };
  }

  return {
    list: () => list({}),
    async idsOf(names) {
      const found = new Map<number, boolean>();
      // One after the other: two at once would make the same tag twice.
      for (const name of names) {
        const { id, isMade } = await idOf(name);
        found.set(id, isMade);
      }
      return { ids: [...found.keys()], made: [...found].filter(([, isMade]) => isMade).map(([id]) => id) };
    },
    async removeUnused(ids) {
      if (ids.length === 0) return;
      const query = { include: ids.join(','), _fields: 'id,count' };
      const present = await collect(allOf(site, ROUTE, { query, item: countSchema, what: 'tags' }));
      for (const { id } of present.filter(({ count }) => count === 0)) {
        await site.ask(`${ROUTE}/${id}`, {
          method: 'DELETE',
          query: { force: 'true' },
          schema: z.unknown(),
          what: 'tag',
        });
      }
    },
    async namesOf(ids, signal) {
      const names = new Map<number, string>();
      for (const some of chunksOf([...new Set(ids)])) {
        for (const { id, name } of await list({ include: some.join(',') }, signal)) names.set(id, name);
      }
      return names;
    },
  };
}
