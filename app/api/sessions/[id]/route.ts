import { sessionSchema } from '#server/core/conversation/sessions';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { sessionParams, updateSessionBody } from '#server/http/schemas/sessions';

export const GET = route(
  { summary: 'One session', answer: sessionSchema, access: 'chat', params: sessionParams },
  async ({ params, anySession }) => anySession(params.id),
);

export const PATCH = route(
  {
    summary: 'Changes the title or the model of a session',
    answer: sessionSchema,
    access: 'chat',
    params: sessionParams,
    body: updateSessionBody,
  },
  async ({ params, body, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    if (body.modelId) services.models.limits(body.modelId);
    return services.sessions.update(id, body);
  },
);

export const DELETE = route(
  {
    summary: 'Deletes a session with its messages; what it did to the site stays',
    answer: { 204: null },
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession, audit }) => {
    const { id, title, ownerId } = await anySession(params.id);
    // Written first: a long session is deleted in pieces, and if the server dies between them, the log still shows who
    // started it.
    await audit('session-deleted', { target: title, details: { id, ownerId } });
    await services.sessions.delete(id);
    return noContent();
  },
);
