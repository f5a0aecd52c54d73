import {
  canonicalDocument,
  checkDocumentField,
  checkSectionCount,
  documentField,
} from '#server/content/entry-document';
import { documentFields, type EntryDocument, type PatchOp, type Section } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import type { ExpectedValue } from '#server/core/expected-values';
import type { DocumentField } from '#server/core/document-fields';
import { type JsonValue, sameJson } from '#server/core/json';
import { checkSectionFields, newSectionFields } from '#server/content/section-types';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { checkEntryMarkup } from '#server/markup/markdown';

function fieldOperation(from: EntryDocument, to: EntryDocument, field: DocumentField): PatchOp[] {
  const value = documentField(to, field);
  if (sameJson(documentField(from, field), value)) return [];
  if (value !== undefined) return [{ op: 'set', field, value }];
  return field === 'title' || field === 'slug' ? [] : [{ op: 'unset', field }];
}

function changedFields(from: Section, to: Section): PatchOp[] {
  const names = [...new Set([...Object.keys(from.fields), ...Object.keys(to.fields)])];
  const changed = names.filter((name) => !sameJson(from.fields[name], to.fields[name]));
  if (changed.length === 0) return [];
  const fields = Object.fromEntries(changed.map((name) => [name, to.fields[name] ?? null]));
  return [{ op: 'set-section', sectionId: to.id, fields }];
}

/** Removes what `to` lacks, then walks `to` in order, so that each position is final once it is passed. */
function sectionOperations(from: readonly Section[], to: readonly Section[]): PatchOp[] {
  const kept = from.filter((section) => to.some(({ id, type }) => id === section.id && type === section.type));
  const operations: PatchOp[] = from
    .filter((section) => !kept.includes(section))
    .map((section) => ({ op: 'remove-section', sectionId: section.id }));
  const order = kept.map((section) => section.id);
  to.forEach((section, index) => {
    const former = kept.find(({ id }) => id === section.id);
    if (former === undefined) {
      operations.push({ op: 'insert-section', section, index });
      order.splice(index, 0, section.id);
      return;
    }
    const position = order.indexOf(section.id);
    if (position !== index) {
      operations.push({ op: 'move-section', sectionId: section.id, index });
      order.splice(position, 1);
      order.splice(index, 0, section.id);
    }
    operations.push(...changedFields(former, section));
  });
  return operations;
}

/** The operations that make `from` into `to`; none where they are equal. Sections are matched by id. */
export function diffDocuments(from: EntryDocument, to: EntryDocument): PatchOp[] {
  return [
    ...documentFields.flatMap((field) => fieldOperation(from, to, field)),
    ...sectionOperations(from.sections, to.sections),
  ];
}

/** Everything about its target: its coming into being, its way into the trash and out of it. */
export const WHOLE_TARGET = '';

/** Paths that one operation touches: `field:title`, `section:sec_1`, `section:sec_1:heading`. */
function touchedBy(operation: PatchOp): string[] {
  switch (operation.op) {
    case 'set':
    case 'unset':
      return [`field:${operation.field}`];
    case 'insert-section':
      return [`section:${operation.section.id}`];
    case 'remove-section':
      return [`section:${operation.sectionId}`];
    case 'move-section':
      return [`section:${operation.sectionId}:(position)`];
    case 'set-section':
      return Object.keys(operation.fields).map((name) => `section:${operation.sectionId}:${name}`);
  }
}

/** Paths that operations touch; a path contains the paths below it. */
export function pathsOf(operations: readonly PatchOp[]): string[] {
  return operations.flatMap(touchedBy);
}

function contains(path: string, other: string): boolean {
  return path === WHOLE_TARGET || path === other || other.startsWith(`${path}:`);
}

/** Tells whether a change wrote to a place. */
export function touches({ operations }: ChangeSet, { sectionId, field }: Omit<ExpectedValue, 'value'>): boolean {
  const path = sectionId === null ? `field:${field}` : `section:${sectionId}`;
  const exact = field === null || sectionId === null ? path : `${path}:${field}`;
  return pathsOf(operations).some(
    (touched) => touched === path || touched === exact || touched.startsWith(`${exact}:`),
  );
}

/** Tells whether a path of one list contains a path of the other. */
export function pathsOverlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => contains(path, other) || contains(other, path)));
}

/** One step of a change: the document after it, what was done exactly, and what takes it back. */
interface AppliedStep {
  readonly document: EntryDocument;
  readonly operation: PatchOp;
  readonly inverse: PatchOp;
}

/** A whole change. `operations` is the given list with defaults and positions filled in. */
interface AppliedOperations {
  readonly document: EntryDocument;
  readonly operations: readonly PatchOp[];
  /** Applied in this order to `document`, gives back the former document, byte for byte. */
  readonly inverse: readonly PatchOp[];
}

type Operation<Kind extends PatchOp['op']> = Extract<PatchOp, { op: Kind }>;

const SECTION_ID_PATTERN = /^sec_[a-z0-9]{4,32}$/;

function sectionIndex(document: EntryDocument, sectionId: string): number {
  const index = document.sections.findIndex((section) => section.id === sectionId);
  if (index !== -1) return index;
  const ids = document.sections.map((section) => `${section.id} (${section.type})`).join(', ');
  const hint = `"${document.title}" has ${ids === '' ? 'no sections' : `the sections ${ids}`}.`;
  throw new NotFoundError('section', sectionId.slice(0, 80), hint);
}

function inserted(sections: readonly Section[], section: Section, index: number): Section[] {
  return sections.toSpliced(index, 0, section);
}

function setField(document: EntryDocument, { field, value }: Operation<'set'>): AppliedStep {
  const checked = checkDocumentField(field, value);
  const former = documentField(document, field);
  return {
    document: canonicalDocument({ ...document, [field]: checked }),
    operation: { op: 'set', field, value: checked as JsonValue },
    inverse:
      former === undefined && field !== 'title' && field !== 'slug'
        ? { op: 'unset', field }
        : { op: 'set', field, value: former ?? null },
  };
}

function unsetField(document: EntryDocument, operation: Operation<'unset'>): AppliedStep {
  const { field } = operation;
  const former = documentField(document, field);
  return {
    document: canonicalDocument({ ...document, [field]: undefined }),
    operation,
    inverse: former === undefined ? { op: 'unset', field } : { op: 'set', field, value: former },
  };
}

function insertSection(document: EntryDocument, operation: Operation<'insert-section'>): AppliedStep {
  const { id, type, fields } = operation.section;
  if (!SECTION_ID_PATTERN.test(id)) {
    throw new InvalidInputError(`"${id.slice(0, 80)}" is not a section id; it looks like sec_k7m2p9.`);
  }
  if (document.sections.some((section) => section.id === id)) {
    throw new InvalidInputError(`There already is a section "${id}" in "${document.title}".`);
  }
  const index = Math.min(operation.index ?? document.sections.length, document.sections.length);
  const section = { id, type, fields: newSectionFields(type, fields, index) };
  return {
    document: { ...document, sections: inserted(document.sections, section, index) },
    operation: { op: 'insert-section', section, index },
    inverse: { op: 'remove-section', sectionId: id },
  };
}

function setSection(document: EntryDocument, { sectionId, fields }: Operation<'set-section'>): AppliedStep {
  const index = sectionIndex(document, sectionId);
  const section = document.sections[index]!;
  const changed = checkSectionFields(section.type, { ...section.fields, ...fields }, index);
  const names = Object.keys(fields);
  const former = Object.fromEntries(names.map((name) => [name, section.fields[name] ?? null]));
  const given = Object.fromEntries(names.map((name) => [name, changed[name] ?? null]));
  return {
    document: { ...document, sections: document.sections.with(index, { ...section, fields: changed }) },
    operation: { op: 'set-section', sectionId, fields: given },
    inverse: { op: 'set-section', sectionId, fields: former },
  };
}

function moveSection(document: EntryDocument, operation: Operation<'move-section'>): AppliedStep {
  const { sectionId } = operation;
  const from = sectionIndex(document, sectionId);
  const to = Math.min(operation.index, document.sections.length - 1);
  const section = document.sections[from]!;
  return {
    document: { ...document, sections: inserted(document.sections.toSpliced(from, 1), section, to) },
    operation: { op: 'move-section', sectionId, index: to },
    inverse: { op: 'move-section', sectionId, index: from },
  };
}

function removeSection(document: EntryDocument, operation: Operation<'remove-section'>): AppliedStep {
  const index = sectionIndex(document, operation.sectionId);
  return {
    document: { ...document, sections: document.sections.toSpliced(index, 1) },
    operation,
    inverse: { op: 'insert-section', section: document.sections[index]!, index },
  };
}

function applyOperation(document: EntryDocument, operation: PatchOp): AppliedStep {
  switch (operation.op) {
    case 'set':
      return setField(document, operation);
    case 'unset':
      return unsetField(document, operation);
    case 'insert-section':
      return insertSection(document, operation);
    case 'set-section':
      return setSection(document, operation);
    case 'move-section':
      return moveSection(document, operation);
    case 'remove-section':
      return removeSection(document, operation);
  }
}

/**
 * Applies all operations, in order, or none.
 * @throws InvalidInputError for a wrong value, NotFoundError for an unknown section.
 */
export function applyOperations(document: EntryDocument, operations: readonly PatchOp[]): AppliedOperations {
  const applied: PatchOp[] = [];
  const inverse: PatchOp[] = [];
  let current = document;
  for (const operation of operations) {
    const step = applyOperation(current, operation);
    current = step.document;
    applied.push(step.operation);
    inverse.unshift(step.inverse);
  }
  checkSectionCount(current.sections.length);
  // One that was stored before there was a bound can still be renamed and made smaller.
  if (operations.some(({ op }) => op === 'insert-section' || op === 'set-section')) checkEntryMarkup(current.sections);
  return { document: current, operations: applied, inverse };
}
