import { designChangeSchema } from '#server/core/site/changes';
import { designPatchSchema, designReportSchema, patchedDesign } from '#server/core/site/design/design';
import { route } from '#server/http/route';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: "The site's design: the draft, and what visitors see",
    answer: designReportSchema,
    access: 'content:read',
  },
  ({ services: { content } }) => content.design(),
);

export const PATCH = route(
  {
    summary: "Changes parts of the draft of the site's design",
    answer: designChangeSchema,
    access: 'content:draft',
    query: documentWriteQuery,
    body: designPatchSchema,
  },
  async ({ body, query, origin, services: { content } }) => {
    const { notes, noteMessages, ...change } = await content.updateDesign(body, origin, query);
    const { draft } = await content.design();
    return { design: query.dryRun ? patchedDesign(draft, body) : draft, change, notes, noteMessages };
  },
);
