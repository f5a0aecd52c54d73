import { z } from 'zod';
import { draftEffect } from '#server/tools/effects';
import { entryResult } from '#server/tools/results';
import { fieldsInput, sectionIdInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Sets some fields of a section and leaves its others. */
export const updateSection = defineTool({
  name: 'update_section',
  description: 'Set some fields of a section; null clears one, a list is replaced whole.',
  input: z.object({ sectionId: sectionIdInput, fields: fieldsInput }),
  writes: true,
  async effect({ sectionId, fields }, context) {
    const entry = await context.content.getBySection(sectionId);
    return draftEffect(context, entry, [{ op: 'set-section', sectionId, fields }]);
  },
  async execute({ sectionId, fields }, { content, origin }) {
    const entry = await content.getBySection(sectionId);
    const change = await content.patch(entry.id, [{ op: 'set-section', sectionId, fields }], origin);
    return entryResult(change, { sectionId, fields: Object.keys(fields) });
  },
});
