import { route } from '#server/http/route';
import { settingsPatchBody } from '#server/http/schemas/settings';

export const GET = route({ access: 'owner' }, async ({ services }) => services.settings.report());

export const PATCH = route({ access: 'owner', body: settingsPatchBody }, async ({ body, services }) =>
  services.settings.update(body),
);
