import { modelsSchema } from '#server/core/admin/settings-report';
import { route } from '#server/http/route';
import { aboutSessionQuery } from '#server/http/schemas/sessions';

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
