import { compactOutcomeSchema } from '#server/core/conversation/context-report';
import { route } from '#server/http/route';
import { compactBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Summarizes the older part of the conversation now',
    answer: compactOutcomeSchema,
    access: 'chat',
    startsTurn: true,
    params: sessionParams,
    body: compactBody,
  },
  async ({ params, body, services, principal, lapsed, anySession }) => {
    const session = await anySession(params.id);
    const releaseSlot = await services.limits.reserveSlot(principal.userId);
    const record = await services.context.compact(session, { ...body, signal: lapsed }).finally(releaseSlot);
    return record ?? { status: 'skipped' as const, reason: 'nothing_to_compact' as const };
  },
);
