import { previewCommentListSchema } from '#server/core/site/preview/preview-comments';
import { sharedEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'Comments of people with a preview link, newest first: texts of strangers with names that nobody verified',
    answer: previewCommentListSchema,
    access: 'content:draft',
    params: entryParams,
  },
  async ({ params, services }) => {
    const { id } = await sharedEntry(services, params);
    return { items: await services.previewComments.list(id) };
  },
);
