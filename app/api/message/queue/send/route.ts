import { route } from '#server/http/route';
import { queueQuery } from '#server/http/schemas/queue';

/** Sends what waits since a cancel. */
export const POST = route({ access: 'owner', query: queueQuery }, async ({ query, services }) => {
  const { id } = await services.sessions.get(query.sessionId);
  return services.chat.sendHeld(id);
});
