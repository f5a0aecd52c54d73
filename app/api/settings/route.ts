import { changedValues } from '#server/core/admin/audit';
import { settingsSchema } from '#server/core/admin/settings-report';
import { route } from '#server/http/route';
import { settingsPatchBody } from '#server/http/schemas/settings';

export const GET = route(
  {
    summary: 'All settings: their values, where these come from, and what they may be',
    answer: settingsSchema,
    access: 'admin',
  },
  async ({ services }) => {
    await services.settings.refresh();
    return services.settingsReport();
  },
);

export const PATCH = route(
  {
    summary: 'Changes settings by name; null resets one',
    answer: settingsSchema,
    access: 'admin',
    isFresh: true,
    body: settingsPatchBody,
  },
  async ({ body, services, audit }) => {
    const names = Object.keys(body);
    const { values: before } = services.settings.report();
    const { values: after } = await services.settings.update(body);
    const changes = changedValues(names, before, after);
    await audit('settings-changed', { target: names.join(', '), details: { settings: names, changes } });
    return services.settingsReport();
  },
);
