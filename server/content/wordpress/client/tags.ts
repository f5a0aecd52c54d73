import { z } from 'zod';
import { allOf, chunksOf, collect } from '#server/content/wordpress/client/paging';
import { textFromHtml } from '#server/content/wordpress/client/remote-text';
import type { SiteConnector } from '#server/content/wordpress/client/site-request';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';

const ROUTE = '/wp/v2/tags';
const FIELDS = 'id,name';
const tagSchema = z.object({ id: z.number().int().positive(), name: z.string() }).transform(({ id, name }) => ({
  id,
  name: textFromHtml(name),
}));

export type Tags = WordPressClient['tags'] & {
  /** Names of the tags with these ids, by id. */
  namesOf(ids: readonly number[], signal?: AbortSignal): Promise<ReadonlyMap<number, string>>;
};

export function createTags(site: SiteConnector): Tags {
  const list = (query: Record<string, string>, signal?: AbortSignal) =>
    collect(allOf(site, ROUTE, { query: { ...query, _fields: FIELDS }, item: tagSchema, what: 'tags', signal }));

  async function idOf(name: string): Promise<number> {
    const same = (tag: { name: string }) => tag.name.toLowerCase() === name.toLowerCase();
    const found = (await list({ search: name })).find(same);
    if (found) return found.id;
    const { value } = await site.ask<{ id: number }>(ROUTE, {
      method: 'POST',
      query: { _fields: FIELDS },
      body: { name },
      schema: tagSchema,
      what: 'tag',
      // Made meanwhile, or one whose name only differs in what WordPress takes for the same.
      onFault: ({ code, data }) => (code === 'term_exists' && data?.term_id ? { id: data.term_id } : undefined),
    });
    return value.id;
  }

  return {
    list: () => list({}),
    async idsOf(names) {
      const ids: number[] = [];
      // One after the other: two at once would make the same tag twice.
      for (const name of names) ids.push(await idOf(name));
      return [...new Set(ids)];
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
