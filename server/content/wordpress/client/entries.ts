import { z } from 'zod';
import type { EntryType } from '#server/core/content';
import { SiteUnavailableError } from '#server/core/errors';
import { allOf, chunksOf, collect, PER_PAGE } from '#server/content/wordpress/client/paging';
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
} from '#server/content/wordpress/client/remote-entry';
import { htmlFromText, textFromHtml } from '#server/content/wordpress/client/remote-text';
import type { SiteConnector } from '#server/content/wordpress/client/site-request';
import type { Tags } from '#server/content/wordpress/client/tags';
import type { EntryListQuery, WordPressClient } from '#server/content/wordpress/client/wordpress-client';

/** Everything that is read; left to itself WordPress renders the content too, which takes its time. */
const FIELDS = [
  'id,type,status,password,slug,generated_slug,title.raw,content.raw,excerpt.raw',
  'parent,featured_media,tags,author,date_gmt,modified_gmt,link',
].join(',');
const EDIT = { context: 'edit', _fields: FIELDS };

const raw = z.object({ raw: z.string().default('') }).optional();
const revisionSchema = z
  .object({ id: z.number(), title: raw, content: raw, excerpt: raw, modified_gmt: z.string().nullish() })
  .transform(({ id, title, content, excerpt, modified_gmt: modified }) => ({
    id,
    title: textFromHtml(title?.raw ?? ''),
    contentRaw: content?.raw ?? '',
    excerpt: textFromHtml(excerpt?.raw ?? ''),
    modifiedGmt: timeFromGmt(modified) ?? 0,
  }));
const headSchema = z
  .object({ id: z.number(), status: z.string(), modified_gmt: z.string().nullish() })
  .transform(({ id, status, modified_gmt: modified }) => ({
    remoteId: id,
    status: statusFromRemote(status),
    modifiedGmt: timeFromGmt(modified) ?? 0,
  }));

const routeOf = (type: EntryType, id?: number) => `/wp/v2/${type}s${id === undefined ? '' : `/${id}`}`;

/** What is still to be read of what was just written. */
async function afterWrite<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SiteUnavailableError)
      error.message += ' It was written all the same: look before you repeat it.';
    throw error;
  }
}

export function createEntries(site: SiteConnector, tags: Tags): WordPressClient['entries'] {
  async function mapped(answers: readonly EntryAnswer[], signal?: AbortSignal): Promise<RemoteEntry[]> {
    const names = await tags.namesOf(
      answers.flatMap((answer) => answer.tags),
      signal,
    );
    return answers.map((answer) => entryFromAnswer(answer, names));
  }

  async function one(answer: EntryAnswer, signal?: AbortSignal): Promise<RemoteEntry> {
    const [entry] = await mapped([answer], signal);
    return entry!;
  }

  async function write(type: EntryType, id: number | undefined, fields: RemoteEntryFields): Promise<RemoteEntry> {
    const tagIds = fields.tags === undefined || type === 'page' ? undefined : await tags.idsOf(fields.tags);
    const { value } = await site.ask(routeOf(type, id), {
      method: 'POST',
      query: EDIT,
      body: { ...bodyFromFields(fields), ...(tagIds && { tags: tagIds }) },
      schema: entryAnswerSchema,
      what: type,
      ...(id !== undefined && { id }),
    });
    return afterWrite(one(value));
  }

  async function get(type: EntryType, id: number, signal?: AbortSignal): Promise<RemoteEntry> {
    const { value } = await site.ask(routeOf(type, id), {
      query: EDIT,
      schema: entryAnswerSchema,
      what: type,
      id,
      signal,
    });
    return one(value, signal);
  }

  async function* list(type: EntryType, query: EntryListQuery = {}, signal?: AbortSignal) {
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
      });
      for await (const { items, total } of pages) {
        yield { items: await mapped(items, signal), total: include?.length ?? total };
      }
    }
  }

  return {
    list,
    get,
    heads: (type, signal) =>
      collect(
        allOf(site, routeOf(type), {
          query: { context: 'edit', status: remoteStatuses.join(','), _fields: 'id,status,modified_gmt' },
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
      return afterWrite(value === null ? get(type, id) : one(value));
    },
    restore: (type, id, status) => write(type, id, { status }),
    async remove(type, id) {
      await site.ask(routeOf(type, id), {
        method: 'DELETE',
        query: { force: 'true', _fields: 'deleted' },
        schema: z.unknown(),
        what: type,
        id,
        onFault: ({ code }) => (code === 'rest_post_invalid_id' ? {} : undefined),
      });
    },
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
    async revisions(type, id) {
      const { value } = await site.ask(`${routeOf(type, id)}/revisions`, {
        // Of revisions WordPress knows no fields within fields.
        query: { context: 'edit', _fields: 'id,title,content,excerpt,modified_gmt', per_page: PER_PAGE },
        schema: z.array(revisionSchema),
        what: type,
        id,
        onFault: ({ code }) => (code === 'rest_no_route' ? [] : undefined),
      });
      return value;
    },
  };
}
