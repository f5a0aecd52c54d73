import { documentField } from '#server/content/entry-document';
import { documentFields, type EntryDocument, type PatchOp, type Section } from '#server/core/content';
import type { DocumentField } from '#server/core/document-fields';
import { sameJson } from '#server/core/json';

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

/** Tells whether a path of one list contains a path of the other. */
export function pathsOverlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((path) => others.some((other) => contains(path, other) || contains(other, path)));
}
