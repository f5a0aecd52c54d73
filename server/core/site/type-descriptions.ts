import { z } from 'zod';
import { type Shape, components } from '#server/core/shapes';

/* Descriptions of entry types and section types, for the assistant and for programs. */

/** One-line summary of an entry or section type: what it is, and its fields (`?` optional). */
const typeSummarySchema = z
  .strictObject({
    name: z.string().min(1).describe('Name of the type, as in `/api/content/types/{name}`'),
    description: z.string().min(1).describe('What it is, and its fields (`?`: optional)'),
  })
  .describe('A type of entries or sections')
  .register(components, { id: 'TypeSummary' });
export type TypeSummary = Shape<typeof typeSummarySchema>;
/** All types of entries and sections. */
export const typeListSchema = z
  .strictObject({
    entries: z.array(typeSummarySchema).describe('Types of entries'),
    sections: z.array(typeSummarySchema).describe('Types of sections'),
  })
  .register(components, { id: 'TypeList' });

/** Full description of one type. */
export const typeDetailSchema = z
  .strictObject({
    ...typeSummarySchema.shape,
    fields: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('Name of the field'),
          required: z.boolean().describe('True if the field must not be empty'),
          kind: z.string().min(1).describe('`text`, `markdown`, `url`, `list of {question, answer}`, '),
          hint: z.string().optional().describe('Further rules for its value; absent: none'),
        }),
      )
      .describe('All fields of the type'),
  })
  .register(components, { id: 'TypeDetail' });
export type TypeDetail = Shape<typeof typeDetailSchema>;
