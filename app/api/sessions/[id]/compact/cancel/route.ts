import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  const { id } = await services.sessions.get(params.id);
  return { cancelled: services.context.cancelCompaction(id) };
});
