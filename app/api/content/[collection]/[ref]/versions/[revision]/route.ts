import { entryDocumentSchema } from '#server/core/site/content';
import { idOfEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { versionParams } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'The document of an entry as it was after a revision',
    answer: entryDocumentSchema,
    access: 'content:read',
    params: versionParams,
  },
  async ({ params, services: { content } }) =>
    content.version(await idOfEntry(content, params.ref, params.collection), params.revision),
);
