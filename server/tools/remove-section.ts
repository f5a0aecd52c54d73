import { z } from 'zod';
import { draftEffect } from '#server/tools/effects';
import { entryResult } from '#server/tools/results';
import { sectionIdInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Removes a section from its entry. */
export const removeSection = defineTool({
  name: 'remove_section',
  description: 'Remove a section.',
  input: z.object({ sectionId: sectionIdInput }),
  writes: true,
  async effect({ sectionId }, context) {
    const entry = await context.content.getBySection(sectionId);
    return draftEffect(context, entry, [{ op: 'remove-section', sectionId }]);
  },
  async execute({ sectionId }, { content, origin }) {
    const entry = await content.getBySection(sectionId);
    const change = await content.patch(entry.id, [{ op: 'remove-section', sectionId }], origin);
    return entryResult(change, { sectionId });
  },
});
