import { navigationReportSchema } from '#server/core/site/content';
import { navigationChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { navigationBody } from '#server/http/schemas/content';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const GET = route(
  { summary: "The site's navigation", answer: navigationReportSchema, access: 'content:read' },
  async ({ services: { content } }) => {
    // Reading the revision first can only make it too low: a write between the two reads is still noticed.
    const revision = await content.revisionOf('navigation');
    const [items, hidden] = await Promise.all([content.navigation(), content.hiddenMenuItems('published')]);
    return { items, hidden, revision };
  },
);

export const PUT = route(
  {
    summary: "Replaces the site's navigation",
    answer: navigationChangeSchema,
    access: 'content:write',
    query: documentWriteQuery,
    body: navigationBody,
  },
  async ({ body, query, origin, services: { content } }) => {
    const { notes, noteMessages, ...change } = await content.setNavigation(body.items, origin, query);
    return { items: query.dryRun ? body.items : await content.navigation(), change, notes, noteMessages };
  },
);
