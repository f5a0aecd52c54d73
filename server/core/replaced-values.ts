import type { EntryDocument, PatchOp } from '#server/core/content';
import type { ExpectedValue } from '#server/core/expected-values';
import type { JsonValue } from '#server/core/json';

/* Apart from the shapes of expected values: the desk has this from its first load on, and zod is 41 kB. */

/** Value of a field of a document or of one of its sections; null where there is none. */
export function currentValue(document: EntryDocument, { sectionId, field }: Omit<ExpectedValue, 'value'>): JsonValue {
  const section = document.sections.find(({ id }) => id === sectionId);
  const values = (sectionId === null ? document : section?.fields) as Readonly<Record<string, unknown>> | undefined;
  return ((field === null ? values : values?.[field]) ?? null) as JsonValue;
}

/**
 * Values that operations replace in a document: the whole of a section that is removed. A write sends them along, to be
 * refused where somebody has changed one meanwhile.
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
