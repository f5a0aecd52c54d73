import { z } from 'zod';
import { navigationItemSchema } from '#server/core/content';
import { navigationJson } from '#server/tools/navigation-json';
import { defineTool } from '#server/tools/tool';

/** What the model sees of an item is spelled out: the schema that checks it is recursive, which many providers refuse. */
const itemInput = z
  .unknown()
  .pipe(navigationItemSchema)
  .meta({
    type: 'object',
    properties: {
      label: { type: 'string' },
      href: { type: 'string', description: '/slug or URL' },
      children: { type: 'array', items: { type: 'object' }, description: 'items too' },
    },
    required: ['label', 'href'],
  });

/** Replaces the site's menu. */
export const setNavigation = defineTool({
  name: 'set_navigation',
  description: 'Replace the whole menu.',
  input: z.object({
    items: z.array(itemInput).max(30),
  }),
  writes: true,
  async execute({ items }, { content, origin }) {
    const change = await content.setNavigation(items, origin);
    return { changeId: change.id, summary: change.summary, items: navigationJson(items) };
  },
});
