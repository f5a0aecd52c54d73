import { requireBuiltIn } from '#server/http/admission';
import { changedCountSchema, submissionPageSchema } from '#server/core/site/submissions';
import { route } from '#server/http/route';
import { deleteSubmissionsBody, markSubmissionsBody, submissionsQuery } from '#server/http/schemas/submissions';

export const GET = route(
  {
    summary: 'What visitors sent by forms, newest first',
    answer: submissionPageSchema,
    access: 'person',
    query: submissionsQuery,
  },
  async ({ query: { unread, ...query }, services, principal }) => {
    requireBuiltIn(principal);
    return services.submissions.list({ ...query, unread: unread === '1' });
  },
);

export const PATCH = route(
  {
    summary: 'Marks what visitors sent as read, or unread',
    answer: changedCountSchema,
    access: 'editor',
    body: markSubmissionsBody,
  },
  async ({ body: { isRead, ...selection }, services, principal }) => {
    requireBuiltIn(principal);
    return { changed: await services.submissions.mark(selection, isRead) };
  },
);

/** Cannot be undone. */
export const DELETE = route(
  {
    summary: 'Deletes what visitors sent, for good',
    answer: changedCountSchema,
    access: 'editor',
    body: deleteSubmissionsBody,
  },
  async ({ body, services, principal, audit }) => {
    requireBuiltIn(principal);
    const changed = await services.submissions.remove(body);
    await audit('submissions-deleted', { details: { count: changed } });
    return { changed };
  },
);
