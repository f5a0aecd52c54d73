import { approvalsSchema, decidedSchema } from '#server/core/messages';
import { route } from '#server/http/route';
import { approvalsBody } from '#server/http/schemas/chat';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { summary: 'The calls that wait for a decision', answer: approvalsSchema, access: 'chat', params: sessionParams },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return Response.json({ items: await services.chat.pendingApprovals(id) });
  },
);

export const POST = route(
  {
    summary: 'Decides stored calls, once, all or none; the turn goes on when none waits any more',
    answer: decidedSchema,
    access: 'chat',
    startsTurn: true,
    params: sessionParams,
    body: approvalsBody,
  },
  async ({ params, body, services, ownSession, principal }) => {
    const { id } = await ownSession(params.id);
    return services.chat.decide(id, body.decisions, principal.scopes, principal.keyId);
  },
);
