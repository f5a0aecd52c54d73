import { noContent } from '#server/http/responses';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

/** Replays the running turn from its start and follows it. */
export const GET = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  const { id } = await services.sessions.get(params.id);
  const stream = await services.chat.follow(id);
  return stream ? services.streamResponse(stream) : noContent();
});
