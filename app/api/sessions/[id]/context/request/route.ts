import { nextRequestSchema } from '#server/core/conversation/context-report';
import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Exactly what the next step would send, with what each piece costs',
    answer: nextRequestSchema,
    access: 'chat',
    params: sessionParams,
    query: contextQuery,
  },
  async ({ params, query, services, anySession, principal }) =>
    services.context.nextRequest(await anySession(params.id), query.modelId, principal.scopes),
);
