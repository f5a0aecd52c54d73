import { modelsSchema } from '#server/core/settings-report';
import { route } from '#server/http/route';
import { aboutSessionQuery } from '#server/http/schemas/spending';

export const GET = route(
  {
    summary: 'The models that may be chosen, with their limits and what a turn of a conversation would cost',
    answer: modelsSchema,
    access: 'chat',
    query: aboutSessionQuery,
  },
  async ({ query, services, ownSession }) => {
    const session = query.sessionId === undefined ? null : await ownSession(query.sessionId);
    return services.modelList(session?.id ?? null);
  },
);
