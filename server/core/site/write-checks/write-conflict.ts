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

/** A value that somebody else has changed: the present value and its author. */
const changedValueSchema = z.object({
  ...expectedValueSchema.shape,
  by: z
    .object({ actor: z.enum(changeActors), userName: z.string().optional() })
    .nullable()
    .describe('Author of the present value; null if the journal does not contain it'),
});
export type ChangedValue = Shape<typeof changedValueSchema>;

/** Details of the ConflictError of a write that would overwrite what somebody else has changed or is writing. */
export const writeConflictSchema = z.object({
  targetId: z.string().describe('Entry, picture, or `navigation`, `settings`, `standing-instructions`'),
  revision: z.number().int().min(0).describe('The present revision of the target'),
  changed: z.array(changedValueSchema).describe('Values that the write replaces and somebody else has changed'),
  writers: z
    .array(z.object({ ...expectedValueSchema.shape, name: z.string().nullable() }))
    .describe('People who are writing in a field that the write replaces, with its present value'),
});
export type WriteConflict = Shape<typeof writeConflictSchema>;
