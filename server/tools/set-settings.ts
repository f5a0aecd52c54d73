import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';
import { defineTool } from '#server/tools/tool';

const changesInput = z.object({
  siteName: z.string().optional(),
  tagline: z.string().optional(),
  homeSlug: z.string().optional().describe('page served at /'),
  contactEmail: z.string().optional(),
  footerText: z.string().optional(),
  accentColor: z.string().optional().describe('#rrggbb'),
});

/** Changes some of the site's settings. */
export const setSettings = defineTool({
  name: 'set_settings',
  description: 'Change site settings; they apply at once.',
  input: changesInput,
  exemptFromPruning: true,
  writes: true,
  async execute(input, { content, origin }) {
    const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    if (Object.keys(changes).length === 0) throw new InvalidInputError('Name at least one setting to change.');
    const change = await content.updateSettings(changes, origin);
    return { changeId: change.id, summary: change.summary, settings: { ...(await content.settings()) } };
  },
});
