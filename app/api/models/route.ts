import { modelsSchema } from '#server/core/settings-report';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'The models that may be chosen, with their limits', answer: modelsSchema, access: 'chat' },
  async ({ services: { models } }) => ({
    items: models.list(),
    defaultModelId: models.defaultModelId,
  }),
);
