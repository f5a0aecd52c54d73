import { designChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: "Publishes the draft of the site's design",
    answer: designChangeSchema,
    access: 'content:write',
    query: documentWriteQuery,
  },
  async ({ query, origin, services: { content } }) => {
    const { notes, noteMessages, ...change } = await content.updateDesign({}, origin, { ...query, isPublished: true });
    return { design: (await content.design()).draft, change, notes, noteMessages };
  },
);
