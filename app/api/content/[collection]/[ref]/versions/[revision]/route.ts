import { entryDocumentSchema } from '#server/core/content';
import { idOfEntry } from '#server/http/entry-action';
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
