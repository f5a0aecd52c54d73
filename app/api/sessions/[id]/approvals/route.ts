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
  async ({ params, body, services, ownSession, principal, audit }) => {
    const { id } = await ownSession(params.id);
    const asked = await services.chat.pendingApprovals(id);
    const decided = await services.chat.decide(id, body.decisions, principal.scopes, principal.keyId);
    for (const { toolCallId, approved } of body.decisions) {
      const call = asked.find((each) => each.toolCallId === toolCallId);
      if (!call) continue;
      const target = call.effect?.targets.map(({ title }) => title).join(', ') || call.toolName;
      const details = { tool: call.toolName, sessionId: id };
      await audit(approved ? 'call-approved' : 'call-denied', { target, details });
    }
    return decided;
  },
);
