import { z } from 'zod';
import { type Entry, type PatchOp, type Section, sectionTypes } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import { draftEffect } from '#server/tools/effects';
import { requireWholeRead, wholeResult } from '#server/tools/long-texts';
import { entryResult } from '#server/tools/results';
import { fieldsInput, nameInput, positionInput, refInput, resolveEntry, sectionIdInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** The fields of section types, so that other schemas need not spell them out. */
export const describeSections = defineTool({
  name: 'describe_sections',
  description: 'The fields of section types; read before writing a section.',
  input: z.object({ types: z.array(z.enum(sectionTypes)).optional() }),
  async execute({ types }, { content }) {
    const { sections } = await content.types();
    const wanted = sections.filter(({ name }) => types === undefined || types.some((type) => type === name));
    return Object.fromEntries(wanted.map(({ name, description }) => [name, description]));
  },
});

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
    const { sections } = change.entry.draft;
    const at = sections.findIndex(({ id }) => id === section.id);
    return entryResult(change, {
      sectionId: section.id,
      sectionType: type,
      position: at + 1,
      order: orderOf(change.entry),
      ...wholeResult(sections[at]),
    });
  },
});

/** The sections of a draft from top to bottom: `sec_bcdfgh hero`. */
function orderOf({ draft }: Entry): string[] {
  return draft.sections.map(({ id, type }) => `${id} ${type}`);
}

function insertion({ type, fields = {}, position }: z.infer<typeof sectionInput>) {
  const section: Section = { id: createShortId('sec'), type, fields };
  const index = position === undefined ? {} : { index: position - 1 };
  return { op: 'insert-section' as const, section, ...index };
}

const updateInput = z.object({
  sectionId: sectionIdInput,
  fields: fieldsInput,
  whole: nameInput(40).optional().describe('to replace a long field: from its last page'),
});

/** Sets some fields of a section and leaves its others. */
export const updateSection = defineTool({
  name: 'update_section',
  description: 'Set some fields of a section; null clears one, a list is replaced whole.',
  input: updateInput,
  writes: true,
  async effect(input, context) {
    const entry = await context.content.getBySection(input.sectionId);
    return draftEffect(context, entry, [setFields(entry, input)]);
  },
  async execute(input, { content, origin }) {
    const { sectionId, fields } = input;
    const entry = await content.getBySection(sectionId);
    const change = await content.patch(entry.id, [setFields(entry, input)], origin);
    const section = change.entry.draft.sections.find(({ id }) => id === sectionId);
    return entryResult(change, { sectionId, fields: Object.keys(fields), ...wholeResult(section) });
  },
});

/** @throws ToolError where it would replace a long field that was not read to its end */
function setFields({ draft }: Entry, { sectionId, fields, whole }: z.infer<typeof updateInput>): PatchOp {
  requireWholeRead(
    draft.sections.find(({ id }) => id === sectionId),
    Object.keys(fields),
    whole,
  );
  return { op: 'set-section', sectionId, fields };
}

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
    return entryResult(change, { sectionId, position: index + 1, order: orderOf(change.entry) });
  },
});

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
