import { z } from 'zod';
import { route } from '#server/http/route';
import { compactionSchema, skippedSchema } from '#server/http/schemas/context';
import { compactBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Summarizes the older part of the conversation now',
    answer: z.union([compactionSchema, skippedSchema]),
    access: 'chat',
    startsTurn: true,
    params: sessionParams,
    body: compactBody,
  },
  async ({ params, body, services, principal, anySession }) => {
    const session = await anySession(params.id);
    const leave = await services.limits.enter(principal.userId);
    const record = await services.context.compact(session, body).finally(leave);
    return record ?? { status: 'skipped', reason: 'nothing_to_compact' };
  },
);
