import { route } from '#server/http/route';
import { approvalsBody } from '#server/http/schemas/approvals';
import { sessionParams } from '#server/http/schemas/sessions';

/** The calls that wait for a decision. */
export const GET = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  const { id } = await services.sessions.get(params.id);
  return { items: await services.chat.pendingApprovals(id) };
});

/** Decides stored calls, once, all or none; the turn goes on when none waits any more. */
export const POST = route(
  { access: 'owner', params: sessionParams, body: approvalsBody },
  async ({ params, body, services }) => {
    const { id } = await services.sessions.get(params.id);
    return services.chat.decide(id, body.decisions);
  },
);
