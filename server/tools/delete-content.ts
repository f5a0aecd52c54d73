import { z } from 'zod';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Deletes an entry; it can be brought back. */
export const deleteContent = defineTool({
  name: 'delete_content',
  description: 'Delete a page or post; undo brings it back.',
  input: z.object({ ref: refInput }),
  writes: true,
  async execute({ ref }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.delete(entry.id, origin));
  },
});
