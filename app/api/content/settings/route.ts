import { siteSettingsReportSchema } from '#server/core/site/content';
import { siteSettingsChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { settingsBody } from '#server/http/schemas/content';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const GET = route(
  { summary: "The site's settings", answer: siteSettingsReportSchema, access: 'content:read' },
  async ({ services: { content } }) => {
    // Reading the revision first can only make it too low: a write between the two reads is still noticed.
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
    const { notes, noteMessages, ...change } = await content.updateSettings(body, origin, query);
    const stored = await content.settings();
    const settings = query.dryRun ? { ...stored, ...body } : stored;
    return { settings, change, notes, noteMessages };
  },
);
