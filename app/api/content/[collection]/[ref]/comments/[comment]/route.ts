import { changedCommentSchema } from '#server/core/site/preview/preview-comments';
import { sharedEntry } from '#server/http/entry-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { commentBody, commentParams } from '#server/http/schemas/content';

export const PATCH = route(
  {
    summary: 'Marks a comment of a preview link as done, or as open again',
    answer: changedCommentSchema,
    access: 'content:draft',
    params: commentParams,
    body: commentBody,
  },
  async ({ params, body, services }) => {
    const { id } = await sharedEntry(services, params);
    return { comment: await services.previewComments.resolve(id, params.comment, body.resolved) };
  },
);

export const DELETE = route(
  {
    summary: 'Deletes a comment of a preview link for good',
    answer: { 204: null },
    access: 'content:draft',
    params: commentParams,
  },
  async ({ params, services }) => {
    const { id } = await sharedEntry(services, params);
    await services.previewComments.remove(id, params.comment);
    return noContent();
  },
);
