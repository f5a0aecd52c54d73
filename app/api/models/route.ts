import { route } from '#server/http/route';
import { modelsSchema } from '#server/http/schemas/settings';

export const GET = route(
  { summary: 'The models that may be chosen, with their limits', answer: modelsSchema, access: 'chat' },
  async ({ services: { models } }) => ({
    items: models.list(),
    defaultModelId: models.defaultModelId,
  }),
);
