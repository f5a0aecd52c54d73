import { route } from '#server/http/route';
import { queueQuery, startedSchema } from '#server/http/schemas/chat';

export const POST = route(
  {
    summary: 'Sends what is held, since a cancel or because its API key holds no more',
    answer: startedSchema,
    access: 'chat',
    startsTurn: true,
    query: queueQuery,
  },
  async ({ query, services, ownSession, principal }) => {
    const { id } = await ownSession(query.sessionId);
    return services.chat.sendHeld(id, principal);
  },
);
