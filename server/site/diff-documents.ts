import { documentField } from '#server/site/entry-document';
import { documentFields, type EntryDocument, type PatchOp, type Section } from '#server/core/site/content';
import type { DocumentField } from '#server/core/site/document-fields';
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

/**
 * Removes the sections that `to` lacks, then walks `to` in order, so that a position is final once it has been passed.
 */
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

/** The operations that turn `from` into `to`; empty if they are equal. Sections are matched by id. */
export function diffDocuments(from: EntryDocument, to: EntryDocument): PatchOp[] {
  return [
    ...documentFields.flatMap((field) => fieldOperation(from, to, field)),
    ...sectionOperations(from.sections, to.sections),
  ];
}
