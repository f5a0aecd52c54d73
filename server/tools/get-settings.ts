import { z } from 'zod';
import { defineTool } from '#server/tools/tool';

/** The site's settings. */
export const getSettings = defineTool({
  name: 'get_settings',
  description: 'Site settings.',
  input: z.object({}),
  exemptFromPruning: true,
  async execute(_input, { content }) {
    return { ...(await content.settings()) };
  },
});
