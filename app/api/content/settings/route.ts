import { siteSettingsReportSchema } from '#server/core/content';
import { siteSettingsChangeSchema } from '#server/core/changes';
import { route } from '#server/http/route';
import { settingsBody } from '#server/http/schemas/content';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const GET = route(
  { summary: "The site's settings", answer: siteSettingsReportSchema, access: 'content:read' },
  async ({ services: { content } }) => {
    // Read first, it is at most too low: a write made meanwhile is not overlooked.
    const revision = await content.revisionOf('settings');
    return { ...(await content.settings()), revision };
  },
);

export const PATCH = route(
  {
    summary: "Changes some of the site's settings",
    answer: siteSettingsChangeSchema,
    access: 'content:write',
    query: documentWriteQuery,
    body: settingsBody,
  },
  async ({ body, query, origin, services: { content } }) => {
    const { notes, ...change } = await content.updateSettings(body, origin, query);
    const present = await content.settings();
    const settings = query.dryRun ? { ...present, ...body } : present;
    return { settings, change, ...(notes && { notes }) };
  },
);
