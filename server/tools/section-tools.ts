import { z } from 'zod';
import { type Entry, type PatchOp, type Section, sectionTypes } from '#server/core/site/content';
import { createShortId } from '#server/core/ids';
import { draftEffect } from '#server/tools/effects';
import { requireWholeRead, wholeResult } from '#server/tools/long-texts';
import { entryResult } from '#server/tools/result-fields';
import {
  fieldsInput,
  nameInput,
  positionInput,
  refInput,
  resolveEntry,
  sectionIdInput,
  sectionTypeInput,
  writtenInput,
} from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import { sectionWords } from '#server/site/change-summary';
import { itemName } from '#server/site/field-changes';
import { listFieldOf } from '#server/site/section-types';
import { ToolError } from '#server/core/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '#server/core/json';
import { shortTitle } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/* Tools for the sections of a page or post, and for the items of their lists. */

/** The fields of section types, so that other schemas need not list them. */
export const describeSections = defineTool({
  name: 'describe_sections',
  description: 'The fields of section types; read before writing a section.',
  input: z.object({ types: z.array(sectionTypeInput).max(sectionTypes.length).meta({ isName: true }).optional() }),
  async execute({ types }, { content }) {
    const { sections } = await content.types();
    const wanted = sections.filter(({ name }) => types === undefined || types.some((type) => type === name));
    return Object.fromEntries(wanted.map(({ name, description }) => [name, description]));
  },
});

const sectionInput = z.strictObject({
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
    return draftEffect(context, await resolveEntry(context.content, input.ref), [insertOperation(input)]);
  },
  async execute(input, { content, origin }) {
    const { ref, type } = input;
    const entry = await resolveEntry(content, ref);
    const operation = insertOperation(input);
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

function insertOperation({ type, fields = {}, position }: z.infer<typeof sectionInput>) {
  const section: Section = { id: createShortId('sec'), type, fields };
  const index = position === undefined ? {} : { index: position - 1 };
  return { op: 'insert-section' as const, section, ...index };
}

const updateInput = z.strictObject({
  sectionId: sectionIdInput,
  fields: fieldsInput,
  whole: nameInput(40).optional().describe('to replace a long field: from its last page'),
});

/** Sets some fields of a section and keeps the others. */
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

/** @throws ToolError if it would replace a long field that was not read to its end */
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
  input: z.strictObject({ sectionId: sectionIdInput, position: positionInput }),
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
  input: z.strictObject({ sectionId: sectionIdInput }),
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

/** Operation on one item of a list. */
export const itemOperation = z.enum(['add', 'change', 'move', 'remove']);

/** One item, identified by its position or by its text. */
export const itemInput = writtenInput(400);

/** A change to one item of a list. */
export interface ItemStep {
  readonly op: z.infer<typeof itemOperation>;
  /** Number from 1, or the text of the item; not used by `add`. */
  readonly item?: string | undefined;
  readonly fields?: Readonly<JsonObject> | undefined;
  /** From 1; default: the end. */
  readonly position?: number | undefined;
}

/** A list after a step. */
interface SteppedList {
  readonly items: readonly JsonValue[];
  /** New position of the item, from 1; 0 if it was removed. */
  readonly place: number;
  /** Name of the item (`itemName`), before it was changed. */
  readonly name: string;
}

const input = z.strictObject({
  sectionId: sectionIdInput,
  op: itemOperation,
  item: itemInput.describe('number from 1, or its question, title, label or src'),
  fields: fieldsInput.optional().describe('of the item: what to set; null clears'),
  position: positionInput.optional().describe('for add and move'),
});
type Input = z.infer<typeof input>;

/** Adds, changes, moves or removes one item of a section's list, and keeps the others unchanged. */
export const editItems = defineTool({
  name: 'edit_items',
  description: 'Add, change, move or remove one item of a list: FAQ, features, gallery pictures, form fields.',
  input,
  writes: true,
  async effect(step, context) {
    const entry = await context.content.getBySection(step.sectionId);
    return draftEffect(context, entry, [listOperation(entry, step).operation]);
  },
  async execute(step, { content, origin, noteSummary }) {
    const entry = await content.getBySection(step.sectionId);
    const { operation, stepped } = listOperation(entry, step);
    // The list is replaced as a whole, including the items that were read.
    const { id, draft, revision } = entry;
    // If two items swap places, either could be the one that was moved.
    const summary = step.op === 'move' ? movedItem(stepped, draft.title) : undefined;
    const change = await content.patch(id, [operation], origin, { ifRevision: revision, summary });
    noteSummary?.(change.change.summaryMessage);
    return entryResult(change, {
      did: change.change.summary,
      sectionId: step.sectionId,
      ...(stepped.place > 0 && { position: stepped.place }),
      items: stepped.items.map((item, index) => `${index + 1} ${shortTitle(itemName(item))}`),
    });
  },
});

function movedItem({ name, place, list }: ReturnType<typeof listOperation>['stepped'], title: string): ServerText {
  const moved = { isStart: true, item: shortTitle(name), position: place, list };
  const parts = [serverText('journal-part-moved-item', moved)];
  return serverText('journal-entry-part', { title: shortTitle(title), parts, link: 'of' });
}

function listOperation(
  entry: Entry,
  { sectionId, ...step }: Input,
): { operation: PatchOp; stepped: SteppedList & { readonly list: ServerText } } {
  const section = entry.draft.sections.find(({ id }) => id === sectionId);
  const list = section && listOf(section);
  if (!list) {
    throw new ToolError(
      `${sectionId} is a ${section?.type ?? ''} section, which has no list: update_section sets its fields.`,
    );
  }
  const stepped = { ...applyItemStep(list.items, step), list: sectionWords(section) };
  const fields = { [list.name]: [...stepped.items] };
  return { operation: { op: 'set-section', sectionId, fields }, stepped };
}

/** The list of records in a section; every type has at most one. */
function listOf({ type, fields }: Section): { name: string; items: JsonValue[] } | null {
  const name = listFieldOf(type);
  const items = name === undefined ? undefined : fields[name];
  return name !== undefined && Array.isArray(items) ? { name, items } : null;
}

/**
 * A list after one of its items was added, changed, moved or removed.
 * @throws ToolError that lists the items if the step names none of them
 */
export function applyItemStep(items: readonly JsonValue[], { op, item, fields, position }: ItemStep): SteppedList {
  if (op === 'add') {
    const added = withoutNulls(fields ?? {});
    if (Object.keys(added).length === 0) throw new ToolError('To add an item, give its fields.');
    const at = Math.min((position ?? items.length + 1) - 1, items.length);
    return { items: items.toSpliced(at, 0, added), place: at + 1, name: itemName(added) };
  }
  const at = indexOf(items, item);
  const present = items[at]!;
  const name = itemName(present);
  if (op === 'remove') return { items: items.toSpliced(at, 1), place: 0, name };
  if (op === 'move') {
    if (position === undefined) throw new ToolError('To move an item, give its new position.');
    const to = Math.min(position, items.length) - 1;
    return { items: items.toSpliced(at, 1).toSpliced(to, 0, present), place: to + 1, name };
  }
  if (fields === undefined || Object.keys(fields).length === 0)
    throw new ToolError('To change an item, give its fields.');
  const changed = withoutNulls({ ...(isJsonObject(present) ? present : {}), ...fields });
  return { items: items.with(at, changed), place: at + 1, name };
}

/** Largest number of item names that a refusal lists. */
const MAX_NAMED = 30;

function indexOf(items: readonly JsonValue[], item: string | undefined): number {
  const wanted = (item ?? '').trim();
  const place = /^\d+$/.test(wanted) ? Number(wanted) - 1 : -1;
  const isWanted = (one: JsonValue, key: string) => wordsOf(one).some((text) => text.toLowerCase() === key);
  const named = [...items.keys()].filter((index) => isWanted(items[index]!, wanted.toLowerCase()));
  if (named.length === 1) return named[0]!;
  if (named.length === 0 && items[place] !== undefined) return place;
  const list = items.slice(0, MAX_NAMED).map((one, index) => `${index + 1} "${shortTitle(itemName(one))}"`);
  const problem =
    wanted === ''
      ? 'Say which item.'
      : named.length > 1
        ? `"${wanted}" fits several.`
        : `There is no item "${wanted}".`;
  throw new ToolError(
    `${problem} The items are: ${list.length === 0 ? 'none yet' : list.join(', ')}. Give the number.`,
  );
}

/** The short texts by which an item can be identified. */
function wordsOf(item: JsonValue): string[] {
  if (!isJsonObject(item)) return typeof item === 'string' ? [item] : [];
  return ['label', 'question', 'title', 'author', 'firstDay', 'src', 'href', 'alt'].flatMap((name) => {
    const value = item[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
}

function withoutNulls(fields: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
