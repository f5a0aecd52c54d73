import { z } from 'zod';
import { changeActors } from '#server/core/site/changes';
import { describedJson } from '#server/core/json';
import { components, type Shape } from '#server/core/shapes';

/** The value that a write replaces, as its author last saw it: the write is refused if the value differs by now. */
export const expectedValueSchema = z
  .strictObject({
    sectionId: z.string().min(1).max(80).nullable().describe('Null: a field of the page itself'),
    field: z.string().min(1).max(80).nullable().describe('Null: all fields of the section'),
    value: describedJson('The value of the field, or the object of all fields; null: it was empty'),
  })
  .describe('A value that is replaced, as it was seen; null: there was none')
  .register(components, { id: 'ExpectedValue' });
export type ExpectedValue = Shape<typeof expectedValueSchema>;

/** A field of a page, or of one of its sections. */
export interface FieldPlace {
  /** Null: a field of the page itself. */
  readonly sectionId: string | null;
  /** Null: all fields of the section. */
  readonly field: string | null;
}

/** Details of a refused write whose expected values have changed. */
export const changedValuesSchema = z.object({
  changed: z
    .array(
      z.object({
        ...expectedValueSchema.shape,
        by: z
          .object({ actor: z.enum(changeActors), userName: z.string().optional() })
          .nullable()
          .describe('Author of the present value; null if the journal does not contain it'),
      }),
    )
    .min(1),
});
/** A value that differs from the one a write expected: the present value and its author. */
export type ChangedValue = Shape<typeof changedValuesSchema>['changed'][number];
