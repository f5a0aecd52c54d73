import { entryAtPathSchema } from '#server/core/site/site-lists';
import { placedEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { pathQuery } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'The page or post whose draft is at a path; null where none is',
    answer: entryAtPathSchema,
    access: 'content:read',
    query: pathQuery,
  },
  async ({ query, services }) => {
    const found = await services.content.findByPath(query.path, 'draft');
    return { entry: found?.kind === 'entry' ? await placedEntry(services, found.entry) : null };
  },
);
