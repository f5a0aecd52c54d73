import { sessionSchema } from '#server/core/messages';
import { pageOf } from '#server/core/shapes';
import { created } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { createSessionBody, listSessionsQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The sessions of the caller, the last used first',
    answer: pageOf(sessionSchema),
    access: 'chat',
    query: listSessionsQuery,
  },
  async ({ query, services, principal }) => services.sessions.list({ ownerId: principal.userId, ...query }),
);

export const POST = route(
  { summary: 'Creates a session', answer: { 201: sessionSchema }, access: 'chat', body: createSessionBody },
  async ({ body, services, principal }) => {
    if (body.modelId !== undefined) services.models.limits(body.modelId);
    return created(await services.sessions.create({ ...body, ownerId: principal.userId }));
  },
);
