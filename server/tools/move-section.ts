import { z } from 'zod';
import { draftEffect } from '#server/tools/effects';
import { entryResult } from '#server/tools/results';
import { positionInput, sectionIdInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Moves a section within its entry. */
export const moveSection = defineTool({
  name: 'move_section',
  description: 'Move a section within its page.',
  input: z.object({ sectionId: sectionIdInput, position: positionInput }),
  writes: true,
  async effect({ sectionId, position }, context) {
    const entry = await context.content.getBySection(sectionId);
    const index = Math.min(position, entry.draft.sections.length) - 1;
    return draftEffect(context, entry, [{ op: 'move-section', sectionId, index }]);
  },
  async execute({ sectionId, position }, { content, origin }) {
    const entry = await content.getBySection(sectionId);
    const index = Math.min(position, entry.draft.sections.length) - 1;
    const change = await content.patch(entry.id, [{ op: 'move-section', sectionId, index }], origin);
    return entryResult(change, { sectionId, position: index + 1 });
  },
});
