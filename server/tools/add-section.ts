import { z } from 'zod';
import { sectionTypes } from '#server/core/content';
import type { Section } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import { draftEffect } from '#server/tools/effects';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { fieldsInput, positionInput, refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

const sectionInput = z.object({
  ref: refInput,
  type: z.enum(sectionTypes),
  fields: fieldsInput.optional().describe('see describe_sections'),
  position: positionInput.optional(),
});

/** Adds a section to an entry, last unless a position is given. */
export const addSection = defineTool({
  name: 'add_section',
  description: 'Add a section; last unless position is given.',
  input: sectionInput,
  writes: true,
  async effect(input, context) {
    return draftEffect(context, await resolveEntry(context.content, input.ref), [insertion(input)]);
  },
  async execute(input, { content, origin }) {
    const { ref, type } = input;
    const entry = await resolveEntry(content, ref);
    const operation = insertion(input);
    const { section } = operation;
    const change = await content.patch(entry.id, [operation], origin);
    const at = change.entry.draft.sections.findIndex(({ id }) => id === section.id) + 1;
    return entryResult(change, { sectionId: section.id, sectionType: type, position: at });
  },
});

function insertion({ type, fields = {}, position }: z.infer<typeof sectionInput>) {
  const section: Section = { id: createShortId('sec'), type, fields };
  const index = position === undefined ? {} : { index: position - 1 };
  return { op: 'insert-section' as const, section, ...index };
}
