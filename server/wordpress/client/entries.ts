import type { Tags } from '#server/wordpress/client/tags';
import { z } from 'zod';
import { htmlFromText, textFromHtml } from '#server/markup/html-text';
import {
  bodyFromFields,
  type EntryAnswer,
  entryAnswerSchema,
  entryFromAnswer,
  gmtFromTime,
  type RemoteEntry,
  type RemoteEntryFields,
  remoteStatuses,
  type RemoteTerms,
  statusFromRemote,
  timeFromGmt,
} from '#server/wordpress/client/remote-entry';
import { createMetaWriter } from '#server/wordpress/client/entry-meta';
import type { SiteKinds } from '#server/wordpress/client/site-kinds';
import { renderedForBuilders } from '#server/wordpress/client/page-builders';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import { allOf, chunksOf, collect, createCollection, PER_PAGE } from '#server/wordpress/client/collections';
import type { RemoteEntryQuery, RemotePagePreview, WordPressClient } from '#server/wordpress/client/wordpress-client';
import { SiteUnavailableError } from '#server/core/errors';

/** All fields that we read; by default WordPress also renders the content, which is slow. */
const FIELDS = [
  'id,type,status,password,sticky,slug,generated_slug,permalink_template,title.raw,content.raw,excerpt.raw',
  'parent,featured_media,tags,author,date_gmt,modified_gmt,link,lang,meta',
].join(',');

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
/** An entry with its links, which show what this user may do with it. Only with `context=edit`. */
export const linkedSchema = z.object({ _links: z.record(z.string(), z.unknown()).catch({}) });

/** True if WordPress filters what this user saves in an entry; undefined: unknown. */
export function savesFiltered({ _links: links }: z.infer<typeof linkedSchema>): boolean | undefined {
  const names = Object.keys(links);
  return names.length === 0 ? undefined : !names.some((name) => name.endsWith('action-unfiltered-html'));
}

/** Routes of our plugin (examples/wordpress), if a site has it. */
export const COMPANION = 'throughline/v1';
const previewSchema = z.object({ html: z.string() }).transform(({ html }): RemotePagePreview => ({ html }));
/** Enough for a page of 5 MB, the limit of the plugin, with JSON escapes. */
const MAX_THEME_PAGE_BYTES = 8_000_000;
const PREVIEW_GAPS: Readonly<Record<string, RemotePagePreview>> = {
  rest_no_route: { gap: 'no-companion' },
  throughline_no_page: { gap: 'no-page' },
};
const openSchema = z.object({ by: z.string().trim().max(200).nullable() });
/** REST namespace of Polylang, from 3.7 on, and of Polylang Pro (polylang.pro/doc/rest-api). */
const POLYLANG = 'pll/v1';
/** Number of complete entries per request: a hundred long ones are too much for small hosts. A choice, not measured. */
const ENTRIES_PER_PAGE = 40;

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

/** Requests each name only once. */
function rememberNames(tags: Tags): Tags['namesOf'] {
  const known = new Map<string, Map<number, string>>();
  return async (taxonomy, ids, signal) => {
    const names = known.get(taxonomy) ?? new Map<number, string>();
    known.set(taxonomy, names);
    const missing = ids.filter((id) => !names.has(id));
    for (const [id, name] of await tags.namesOf(taxonomy, missing, signal)) names.set(id, name);
    return names;
  };
}

/** Creates the requests for entries of all kinds. */
export function createEntries(site: SiteConnector, tags: Tags, kinds: SiteKinds): WordPressClient['entries'] {
  const meta = createMetaWriter(site, kinds);

  async function queryOf(type: string) {
    const groups = await kinds.taxonomiesOf(type);
    return { context: 'edit', _fields: [FIELDS, ...groups.map(({ base }) => base)].join(',') };
  }

  async function collectionOf(type: string) {
    return createCollection(site, await kinds.routeOf(type), {
      query: await queryOf(type),
      schema: entryAnswerSchema,
      what: type,
    });
  }

  /** Groups of entries, by entry id. */
  async function termsOf(
    type: string,
    answers: readonly EntryAnswer[],
    namesOf: Tags['namesOf'],
    signal?: AbortSignal,
  ) {
    const terms = new Map<number, RemoteTerms>(answers.map(({ id }) => [id, {}]));
    const groups = (await kinds.taxonomiesOf(type)).map(async ({ slug, base }) => {
      const idsOf = (answer: EntryAnswer) => z.array(z.number()).catch([]).parse(answer[base]);
      return { slug, idsOf, names: await namesOf(slug, answers.flatMap(idsOf), signal) };
    });
    for (const { slug, idsOf, names } of await Promise.all(groups)) {
      for (const answer of answers) {
        const named = idsOf(answer).flatMap((id) => {
          const name = names.get(id);
          return name === undefined ? [] : [{ id, name }];
        });
        if (named.length > 0) terms.set(answer.id, { ...terms.get(answer.id), [slug]: named });
      }
    }
    return terms;
  }

  /**
   * The plugin may be installed in a version without this route. Checked each time, because a person may be installing
   * it right now.
   */
  async function missingCompanion(): Promise<RemotePagePreview> {
    const request = { schema: z.unknown(), what: 'plugin', onFault: () => null };
    const isThere = (await site.ask(`/${COMPANION}`, request)).value !== null;
    return { gap: isThere ? 'old-companion' : 'no-companion' };
  }

  async function mapped(
    type: string,
    answers: readonly EntryAnswer[],
    signal?: AbortSignal,
    namesOf = tags.namesOf,
  ): Promise<RemoteEntry[]> {
    const ids = answers.map(({ id }) => id);
    const tagIds = answers.flatMap((answer) => answer.tags);
    const route = await kinds.routeOf(type);
    // A slow host takes seconds for each.
    const [names, rendered, terms] = await Promise.all([
      namesOf('post_tag', tagIds, signal),
      renderedForBuilders(site, route, ids, signal),
      termsOf(type, answers, namesOf, signal),
    ]);
    const kind = (await kinds.kinds()).find(({ slug }) => slug === type) ?? null;
    return answers.map((answer) =>
      entryFromAnswer(answer, names, { rendered: rendered.get(answer.id), terms: terms.get(answer.id) ?? {}, kind }),
    );
  }

  async function one(type: string, answer: EntryAnswer, signal?: AbortSignal): Promise<RemoteEntry> {
    const [entry] = await mapped(type, [answer], signal);
    return entry!;
  }

  async function termsBody(termIds: RemoteEntryFields['termIds'] = {}): Promise<Record<string, readonly number[]>> {
    const body: Record<string, readonly number[]> = {};
    for (const [taxonomy, ids] of Object.entries(termIds)) {
      const route = await kinds.termsRouteOf(taxonomy);
      body[route.slice(route.lastIndexOf('/') + 1)] = ids;
    }
    return body;
  }

  async function write(type: string, id: number | undefined, fields: RemoteEntryFields): Promise<RemoteEntry> {
    const { language } = fields;
    const named =
      fields.tags === undefined || type === 'page' ? undefined : await tags.idsOf('post_tag', fields.tags, language);
    const body = {
      ...bodyFromFields(fields),
      ...(await termsBody(fields.termIds)),
      ...(await meta.writeBody(type, fields)),
    };
    // In the query, where Polylang reads it also for an entry that it is about to give a language.
    const made = await (
      await collectionOf(type)
    ).write(id, { ...body, ...(named && { tags: named.ids }) }, { lang: language });
    return afterWrite(one(type, made));
  }

  async function get(type: string, id: number, signal?: AbortSignal): Promise<RemoteEntry> {
    return one(type, await (await collectionOf(type)).read(id, signal), signal);
  }

  async function* list(type: string, query: RemoteEntryQuery = {}, signal?: AbortSignal) {
    const { modifiedSince, include, slug, statuses = remoteStatuses } = query;
    const asked = {
      ...(await queryOf(type)),
      status: statuses.join(','),
      slug,
      // Includes changes of that same second.
      modified_after: modifiedSince === undefined ? undefined : `${gmtFromTime(modifiedSince - 1_000)}Z`,
    };
    const namesOf = rememberNames(tags);
    for (const ids of include === undefined ? [undefined] : chunksOf(include)) {
      const what = `${type}s`;
      const pages = allOf(site, await kinds.routeOf(type), {
        query: { ...asked, include: ids?.join(',') },
        item: entryAnswerSchema,
        what,
        signal,
        perPage: ENTRIES_PER_PAGE,
      });
      for await (const { items, total } of pages) {
        yield { items: await mapped(type, items, signal, namesOf), total: include?.length ?? total };
      }
    }
  }

  return {
    list,
    get,
    kinds: (isFresh, signal) => (isFresh ? kinds.look(signal) : kinds.kinds()),
    async taxonomiesOf(type) {
      return (await kinds.taxonomiesOf(type)).map(({ slug }) => slug);
    },
    textFieldsOf: (type) => meta.textFieldsOf(type),
    takesSeo: (type) => meta.acceptsSeo(type),
    hasLanguages: async () => (await site.index()).namespaces.includes(POLYLANG),
    async heads(type, signal) {
      return collect(
        allOf(site, await kinds.routeOf(type), {
          query: { context: 'edit', status: remoteStatuses.join(','), _fields: 'id,status,modified_gmt,link' },
          item: headSchema,
          what: `${type}s`,
          signal,
        }),
      );
    },
    create: (type, fields) => write(type, undefined, fields),
    update: (type, id, fields) => write(type, id, fields),
    async trash(type, id) {
      const { value } = await site.ask(`${await kinds.routeOf(type)}/${id}`, {
        method: 'DELETE',
        query: await queryOf(type),
        schema: entryAnswerSchema.nullable(),
        what: type,
        id,
        onFault: ({ code }) => (code === 'rest_already_trashed' ? null : undefined),
      });
      return afterWrite(value === null ? get(type, id) : one(type, value));
    },
    restore: (type, id, status) => write(type, id, { status }),
    async remove(type, id) {
      await (await collectionOf(type)).remove(id);
    },
    async autosave(type, id, { title, contentRaw, excerpt }) {
      await site.ask(`${await kinds.routeOf(type)}/${id}/autosaves`, {
        method: 'POST',
        query: { _fields: 'id' },
        body: { title: htmlFromText(title), content: contentRaw, excerpt: htmlFromText(excerpt) },
        schema: z.unknown(),
        what: type,
        id,
      });
    },
    async isFiltered(type, id) {
      const query = { context: 'edit', _fields: 'id,_links' };
      const request = { query, schema: linkedSchema, what: type, id };
      return savesFiltered((await site.ask(`${await kinds.routeOf(type)}/${id}`, request)).value) ?? false;
    },
    async openBy(id) {
      const { namespaces } = await site.index();
      if (!namespaces.includes(COMPANION)) return null;
      const request = { schema: openSchema, what: 'editor', id };
      return (await site.ask(`/${COMPANION}/entries/${id}/open`, request)).value.by;
    },
    async render(id, { titleRaw, contentRaw, excerptRaw, cover }) {
      const { value } = await site.ask(`/${COMPANION}/entries/${id}/look`, {
        method: 'POST',
        body: { title: titleRaw, content: contentRaw, excerpt: excerptRaw, cover: cover ?? 0 },
        maxBytes: MAX_THEME_PAGE_BYTES,
        schema: previewSchema,
        what: 'page',
        id,
        onFault: ({ code }) => PREVIEW_GAPS[code],
      });
      return 'gap' in value && value.gap === 'no-companion' ? missingCompanion() : value;
    },
    async revisions(type, id, most = PER_PAGE) {
      const { value } = await site.ask(`${await kinds.routeOf(type)}/${id}/revisions`, {
        // For revisions, WordPress does not support nested fields.
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
