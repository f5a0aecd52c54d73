import { contextRequest } from '#server/agent/session-context';
import { route } from '#server/http/route';
import { compactBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  { access: 'owner', params: sessionParams, body: compactBody },
  async ({ params, body, services }) => {
    const session = await services.sessions.get(params.id);
    const request = contextRequest(services.models, session, null);
    const withoutModel = body.strategy === 'ledger';
    const outcome = await services.context.compact(
      withoutModel ? { ...request, summarizer: null } : request,
      body.instructions,
    );
    if (!outcome) return { status: 'skipped', reason: 'nothing_to_compact' };
    const records = await services.compactions.list(session.id);
    return records.find((record) => record.id === outcome.id);
  },
);
