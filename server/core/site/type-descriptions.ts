import { z } from 'zod';
import type { Shape } from '#server/core/shapes';

/* Descriptions of entry types and section types, for the assistant and for programs. */

/** One-line summary of an entry or section type: what it is, and its fields (`?` optional). */
const typeSummarySchema = z.strictObject({ name: z.string().min(1), description: z.string().min(1) });
export type TypeSummary = Shape<typeof typeSummarySchema>;
/** All types of entries and sections. */
export const typeListSchema = z.strictObject({
  entries: z.array(typeSummarySchema),
  sections: z.array(typeSummarySchema),
});

/** Full description of one type. */
export const typeDetailSchema = z.strictObject({
  ...typeSummarySchema.shape,
  fields: z.array(
    z.strictObject({
      name: z.string().min(1),
      required: z.boolean(),
      /** `text`, `markdown`, `url`, `list of {question, answer}`, ... */
      kind: z.string().min(1),
      hint: z.string().optional(),
    }),
  ),
});
export type TypeDetail = Shape<typeof typeDetailSchema>;
