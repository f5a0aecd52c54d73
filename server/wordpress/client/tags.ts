import { z } from 'zod';
import { textFromHtml } from '#server/markup/html-text';
import { allOf, chunksOf, collect } from '#server/wordpress/client/collections';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import type { SiteKinds } from '#server/wordpress/client/site-kinds';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';

const TAG_FIELDS = 'id,name';
const tagSchema = z.object({ id: z.number().int().positive(), name: z.string() }).transform(({ id, name }) => ({
  id,
  name: textFromHtml(name),
}));

const countSchema = z.object({ id: z.number().int().positive(), count: z.number() });

export type Tags = WordPressClient['tags'] & {
  /** Names of the tags with these ids, by id. */
  namesOf(
    this: void,
    taxonomy: string,
    ids: readonly number[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, string>>;
};

/** Tags, and the terms of every other taxonomy. */
export function createTags(site: SiteConnector, { termsRouteOf }: Pick<SiteKinds, 'termsRouteOf'>): Tags {
  async function list(taxonomy: string, query: Record<string, string>, signal?: AbortSignal) {
    const asked = { ...query, _fields: TAG_FIELDS };
    return collect(allOf(site, await termsRouteOf(taxonomy), { query: asked, item: tagSchema, what: 'tags', signal }));
  }

  async function idOf(taxonomy: string, name: string): Promise<{ readonly id: number; readonly isMade: boolean }> {
    const same = (tag: { name: string }) => tag.name.toLowerCase() === name.toLowerCase();
    const found = (await list(taxonomy, { search: name })).find(same);
    if (found) return { id: found.id, isMade: false };
    const { value } = await site.ask<{ id: number; isMade?: boolean }>(await termsRouteOf(taxonomy), {
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
    list: (taxonomy = 'post_tag') => list(taxonomy, {}),
    async idsOf(taxonomy, names) {
      const found = new Map<number, boolean>();
      // One after the other: two at once would make the same tag twice.
      for (const name of names) {
        const { id, isMade } = await idOf(taxonomy, name);
        found.set(id, isMade);
      }
      return { ids: [...found.keys()], made: [...found].filter(([, isMade]) => isMade).map(([id]) => id) };
    },
    async removeUnused(taxonomy, ids) {
      if (ids.length === 0) return;
      const route = await termsRouteOf(taxonomy);
      const query = { include: ids.join(','), _fields: 'id,count' };
      const present = await collect(allOf(site, route, { query, item: countSchema, what: 'tags' }));
      for (const { id } of present.filter(({ count }) => count === 0)) {
        await site.ask(`${route}/${id}`, {
          method: 'DELETE',
          query: { force: 'true' },
          schema: z.unknown(),
          what: 'tag',
        });
      }
    },
    async namesOf(taxonomy, ids, signal) {
      const names = new Map<number, string>();
      for (const some of chunksOf([...new Set(ids)])) {
        for (const { id, name } of await list(taxonomy, { include: some.join(',') }, signal)) names.set(id, name);
      }
      return names;
    },
  };
}
