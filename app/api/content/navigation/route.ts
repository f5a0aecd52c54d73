import { route } from '#server/http/route';
import { navigationBody } from '#server/http/schemas/content';

export const GET = route({ access: 'owner' }, async ({ services: { content } }) => ({
  items: await content.navigation(),
}));

export const PUT = route({ access: 'owner', body: navigationBody }, async ({ body, services: { content } }) => {
  const change = await content.setNavigation(body.items, { actor: 'api' });
  return { items: await content.navigation(), change };
});
