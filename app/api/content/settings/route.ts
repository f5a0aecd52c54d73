import { route } from '#server/http/route';
import { settingsBody } from '#server/http/schemas/content';

export const GET = route({ access: 'owner' }, async ({ services }) => services.content.settings());

export const PATCH = route({ access: 'owner', body: settingsBody }, async ({ body, services: { content } }) => {
  const change = await content.updateSettings(body, { actor: 'api' });
  return { settings: await content.settings(), change };
});
