import { z } from 'zod';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Takes an entry off the published site. */
export const unpublishContent = defineTool({
  name: 'unpublish_content',
  description: 'Take a page or post off the site; its draft stays.',
  input: z.object({ ref: refInput }),
  writes: true,
  async execute({ ref }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.unpublish(entry.id, origin));
  },
});
