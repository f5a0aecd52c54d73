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

const countSchema = z.object({ count: z.number() });

/** Requests for tags, with the reading of names by id. */
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
export function createTags(site: SiteConnector, kinds: SiteKinds): Tags {
  async function list(taxonomy: string, query: Record<string, string>, signal?: AbortSignal) {
    const asked = { ...query, _fields: TAG_FIELDS };
    return collect(
      allOf(site, await kinds.termsRouteOf(taxonomy), { query: asked, item: tagSchema, what: 'tags', signal }),
    );
  }

  async function idOf(
    taxonomy: string,
    name: string,
    language: string | undefined,
  ): Promise<{ readonly id: number; readonly isMade: boolean }> {
    const same = (tag: { name: string }) => tag.name.toLowerCase() === name.toLowerCase();
    const inLanguage = language === undefined ? {} : { lang: language };
    const found = (await list(taxonomy, { search: name, ...inLanguage })).find(same);
    if (found) return { id: found.id, isMade: false };
    const { value } = await site.ask<{ id: number; isMade?: boolean }>(await kinds.termsRouteOf(taxonomy), {
      method: 'POST',
      query: { _fields: TAG_FIELDS, ...inLanguage },
      body: { name },
      schema: tagSchema,
      what: 'tag',
      // Another program has just created it, or WordPress considers the name equal to an existing one.
      onFault: ({ code, data }) =>
        code === 'term_exists' && data?.term_id ? { id: data.term_id, isMade: false } : undefined,
    });
    return { id: value.id, isMade: value.isMade ?? true };
  }

  return {
    list: (taxonomy = 'post_tag') => list(taxonomy, {}),
    async idsOf(taxonomy, names, language) {
      const found = new Map<number, boolean>();
      // One after the other: two in parallel would create the same tag twice.
      for (const name of names) {
        const { id, isMade } = await idOf(taxonomy, name, language);
        found.set(id, isMade);
      }
      return { ids: [...found.keys()], made: [...found].filter(([, isMade]) => isMade).map(([id]) => id) };
    },
    async unused(taxonomy, ids) {
      const query = { include: ids.join(','), _fields: `${TAG_FIELDS},count` };
      const item = tagSchema.and(countSchema);
      const present = await collect(allOf(site, await kinds.termsRouteOf(taxonomy), { query, item, what: 'tags' }));
      return present.filter(({ count }) => count === 0);
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
