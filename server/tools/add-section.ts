import { z } from 'zod';
import { sectionTypes } from '#server/core/content';
import type { Section } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { fieldsInput, positionInput, refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Adds a section to an entry, last unless a position is given. */
export const addSection = defineTool({
  name: 'add_section',
  description: 'Add a section; last unless position is given.',
  input: z.object({
    ref: refInput,
    type: z.enum(sectionTypes),
    fields: fieldsInput.optional().describe('see describe_sections'),
    position: positionInput.optional(),
  }),
  writes: true,
  async execute({ ref, type, fields, position }, { content, origin }) {
    const entry = await resolveEntry(content, ref);
    const section: Section = { id: createShortId('sec'), type, fields: fields ?? {} };
    const index = position === undefined ? {} : { index: position - 1 };
    const change = await content.patch(entry.id, [{ op: 'insert-section', section, ...index }], origin);
    const at = change.entry.draft.sections.findIndex(({ id }) => id === section.id) + 1;
    return entryResult(change, { sectionId: section.id, sectionType: type, position: at });
  },
});
