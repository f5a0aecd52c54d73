import { z } from 'zod';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Makes the draft of an entry the published version. */
export const publishContent = defineTool({
  name: 'publish_content',
  description: 'Publish the draft of a page or post.',
  input: z.object({ ref: refInput }),
  writes: true,
  async execute({ ref }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.publish(entry.id, origin));
  },
});
