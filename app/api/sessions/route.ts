import { sessionPageSchema, sessionSchema } from '#server/core/conversation/sessions';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { createSessionBody, listSessionsQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary:
      'The sessions of the caller on the site that is asked about, and on sites that are gone; the last used first',
    answer: sessionPageSchema,
    access: 'chat',
    query: listSessionsQuery,
  },
  async ({ query, services: { sessions, sites, requireSite }, principal: { userId: ownerId, sites: theirs } }) =>
    sessions.list({ ownerId, sites: { theirs, elsewhere: sites.otherThan(requireSite()) }, ...query }),
);

export const POST = route(
  {
    summary: 'Creates a session, which works on the site that is asked about',
    answer: { 201: sessionSchema },
    access: 'chat',
    body: createSessionBody,
  },
  async ({ body, services, principal }) => {
    if (body.modelId !== undefined) services.models.limits(body.modelId);
    return created(
      await services.sessions.create({ ...body, ownerId: principal.userId, siteId: services.requireSite() }),
    );
  },
);
