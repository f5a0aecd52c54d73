import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

/** Stops the running turn, wherever it runs; what waits in the queue is held. */
export const POST = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  const { id } = await services.sessions.get(params.id);
  return services.chat.cancel(id);
});
