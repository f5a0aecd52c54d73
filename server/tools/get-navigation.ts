import { z } from 'zod';
import { navigationJson } from '#server/tools/navigation-json';
import { defineTool } from '#server/tools/tool';

/** The site's menu. */
export const getNavigation = defineTool({
  name: 'get_navigation',
  description: 'The menu.',
  input: z.object({}),
  async execute(_input, { content }) {
    return { items: navigationJson(await content.navigation()) };
  },
});
