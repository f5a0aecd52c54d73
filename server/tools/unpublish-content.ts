import { z } from 'zod';
import { effect, entryTarget, goneFromSite } from '#server/tools/effects';
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
  policy: 'ask',
  async effect({ ref }, { content }) {
    const entry = await resolveEntry(content, ref);
    const path = await content.pathOf(entry, 'published');
    return effect({
      summary: `Takes "${entry.draft.title}" off the site: ${path} will not be found any more. Its draft stays.`,
      targets: [entryTarget(entry)],
      ...(await goneFromSite(content, entry)),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.unpublish(entry.id, origin, { ifRevision }));
  },
});
