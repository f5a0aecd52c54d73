import type { EntryDocument, PatchOp } from '#server/core/site/content';
import type { ExpectedValue, FieldPlace } from '#server/core/site/write-checks/write-conflict';
import type { JsonValue } from '#server/core/json';

/* Separate from the schemas of expected values: the workspace loads this file on the first load, and zod is 41 kB. */

/** Value of a field of a document or of one of its sections; null if it has none. */
export function currentValue(document: EntryDocument, { sectionId, field }: FieldPlace): JsonValue {
  const section = document.sections.find(({ id }) => id === sectionId);
  const values = (sectionId === null ? document : section?.fields) as Readonly<Record<string, unknown>> | undefined;
  return ((field === null ? values : values?.[field]) ?? null) as JsonValue;
}

/**
 * Lists the values that operations replace in a document; for a removed section, all of its values. A write contains them
 * and is refused if another person has changed one of them.
 */
export function valuesReplacedBy(document: EntryDocument, operations: readonly PatchOp[]): ExpectedValue[] {
  const as = (sectionId: string | null, field: string | null) => {
    const place = { sectionId, field };
    return { ...place, value: currentValue(document, place) };
  };
  return operations.flatMap((operation) => {
    if (operation.op === 'set' || operation.op === 'unset') return [as(null, operation.field)];
    if (operation.op === 'remove-section') return [as(operation.sectionId, null)];
    if (operation.op !== 'set-section') return [];
    return Object.keys(operation.fields).map((field) => as(operation.sectionId, field));
  });
}
