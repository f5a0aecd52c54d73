import { route } from '#server/http/route';
import { entryParams, revisionsQuery } from '#server/http/schemas/content';

/** The changes of an entry, newest first; a deleted entry's too, by its id. */
export const GET = route(
  { access: 'owner', params: entryParams, query: revisionsQuery },
  async ({ params: { ref, collection }, query, services: { content } }) => {
    const entry = await content.find(ref, collection);
    const changes = await content.revisions({ targetId: entry?.id ?? ref, limit: query.limit });
    const items = changes.filter(({ targetType }) => targetType === collection);
    if (items.length === 0) await content.get(ref, collection);
    return { items };
  },
);
