import { route } from '#server/http/route';

export const GET = route({ access: 'owner' }, async ({ services: { models } }) => ({
  items: models.list(),
  defaultModelId: models.defaultModelId,
}));
