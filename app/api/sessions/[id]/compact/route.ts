import { route } from '#server/http/route';
import { compactBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  { access: 'owner', params: sessionParams, body: compactBody },
  async ({ params, body, services }) => {
    const session = await services.sessions.get(params.id);
    const record = await services.context.compact(session, body);
    return record ?? { status: 'skipped', reason: 'nothing_to_compact' };
  },
);
