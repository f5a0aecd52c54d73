import { z } from 'zod';
import { changeActors } from '#server/core/changes';
import { json, type Shape } from '#server/core/shapes';
import type { EntryDocument, PatchOp } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** A value that a write replaces, as its writer knows it. */
export const expectedValueSchema = z.strictObject({
  sectionId: z.string().min(1).max(80).nullable().describe('Null: a field of the page itself'),
  field: z.string().min(1).max(80).nullable().describe('Null: all fields of the section'),
  /** Null: there is none. */
  value: json,
});
export type ExpectedValue = Shape<typeof expectedValueSchema>;

/** Details of the refusal of a write whose expected values are not there any more. */
export const changedValuesSchema = z.object({
  changed: z
    .array(
      z.object({
        ...expectedValueSchema.shape,
        /** Its author; null: the journal does not say. */
        by: z.object({ actor: z.enum(changeActors), userName: z.string().optional() }).nullable(),
      }),
    )
    .min(1),
});
/** A value that is another one than a write expected: what is there now, and who wrote it. */
export type ChangedValue = Shape<typeof changedValuesSchema>['changed'][number];

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
