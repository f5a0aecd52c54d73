import { z } from 'zod';
import { changeActors } from '#server/core/changes';
import { json, type Shape } from '#server/core/shapes';

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
