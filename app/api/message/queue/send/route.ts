import { route } from '#server/http/route';
import { startedSchema } from '#server/http/schemas/answers/queue';
import { queueQuery } from '#server/http/schemas/queue';

export const POST = route(
  {
    summary: 'Sends what waits since a cancel',
    answer: startedSchema,
    access: 'chat',
    startsTurn: true,
    query: queueQuery,
  },
  async ({ query, services, ownSession }) => {
    const { id } = await ownSession(query.sessionId);
    return services.chat.sendHeld(id);
  },
);
