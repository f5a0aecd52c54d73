import { route } from '#server/http/route';
import { compactionParams } from '#server/http/schemas/sessions';

/** Restores the exact former view; prunes too. */
export const POST = route({ access: 'owner', params: compactionParams }, async ({ params, services }) => {
  const { id } = await services.sessions.get(params.id);
  return services.context.undo(id, params.compactionId);
});
