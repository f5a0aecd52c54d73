import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';

export const POST = route({ access: 'owner', params: entryParams }, async ({ params, services: { content } }) => {
  const { id } = await content.get(params.ref, params.collection);
  return content.publish(id, { actor: 'api' });
});
