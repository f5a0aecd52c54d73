import { z } from 'zod';
import { type Shape, components } from '#server/core/shapes';

/* Descriptions of entry types and section types, for the assistant and for programs. */

/** One-line summary of an entry or section type: what it is, and its fields (`?` optional). */
const typeSummarySchema = z
  .strictObject({ name: z.string().min(1), description: z.string().min(1) })
  .register(components, { id: 'TypeSummary' });
export type TypeSummary = Shape<typeof typeSummarySchema>;
/** All types of entries and sections. */
export const typeListSchema = z
  .strictObject({
    entries: z.array(typeSummarySchema),
    sections: z.array(typeSummarySchema),
  })
  .register(components, { id: 'TypeList' });

/** Full description of one type. */
export const typeDetailSchema = z
  .strictObject({
    ...typeSummarySchema.shape,
    fields: z.array(
      z.strictObject({
        name: z.string().min(1),
        required: z.boolean(),
        kind: z.string().min(1).describe('`text`, `markdown`, `url`, `list of {question, answer}`, '),
        hint: z.string().optional(),
      }),
    ),
  })
  .register(components, { id: 'TypeDetail' });
export type TypeDetail = Shape<typeof typeDetailSchema>;
