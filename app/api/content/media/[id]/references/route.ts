import { referenceListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { assetParams } from '#server/http/schemas/media';

export const GET = route(
  { summary: 'Where a picture is shown', answer: referenceListSchema, access: 'content:read', params: assetParams },
  async ({ params, services: { content } }) => {
    const { id } = await content.assets.get(params.id);
    return { items: await content.referencesTo({ type: 'asset', id }) };
  },
);
