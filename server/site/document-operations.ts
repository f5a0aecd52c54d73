import { serverText } from '#server/core/messages/server-text';
import { canonicalDocument, checkDocumentField, checkSectionCount, documentField } from '#server/site/entry-document';
import type { EntryDocument, PatchOp, Section } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { checkSectionFields, newSectionFields } from '#server/site/section-types';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { checkEntryMarkup } from '#server/markup/entry-markup-limit';

/** One applied operation: the document after it, the operation with defaults filled in, and its inverse. */
interface AppliedStep {
  readonly document: EntryDocument;
  readonly operation: PatchOp;
  readonly inverse: PatchOp;
}

/** Result of `applyOperations`. */
interface AppliedOperations {
  /** The document after all operations. */
  readonly document: EntryDocument;
  /** The given operations with defaults and positions filled in. */
  readonly operations: readonly PatchOp[];
  /** Operations that, applied in this order to `document`, restore the former document byte for byte. */
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
    throw new InvalidInputError(serverText('section-id-invalid', { id: id.slice(0, 80) }));
  }
  if (document.sections.some((section) => section.id === id)) {
    throw new InvalidInputError(serverText('section-id-twice', { id, title: document.title }));
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
  // An entry that was stored before this limit existed can still be renamed and made smaller.
  if (operations.some(({ op }) => op === 'insert-section' || op === 'set-section')) checkEntryMarkup(current.sections);
  return { document: current, operations: applied, inverse };
}
