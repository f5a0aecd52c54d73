import { z } from 'zod';
import { entryTypes } from '#server/core/content';
import { jsonValueSchema } from '#server/core/json';

/**
 * Input fields that several tools share. They are sent to the model with every request, so each is described in as
 * few words as it takes.
 */

/** A page or a post. */
export const entryTypeInput = z.enum(entryTypes);

/** What names one entry; see `resolveEntry`. */
export const refInput = z.string().min(1).max(300);

/**
 * The fields of a section. Checked to be JSON here and against the section's type by the content backend; the
 * schema that the model sees stays a bare object.
 */
export const fieldsInput = z.record(z.string(), z.unknown().pipe(jsonValueSchema));

/** A section's id, as get_content gives it. */
export const sectionIdInput = z.string().min(1).max(100).describe('sec_...');

/** Where a section goes, counted from 1 as people count. */
export const positionInput = z.int().min(1).max(1000).describe('from 1');

/** Id, slug or path of the page above. */
export const parentInput = z.string().max(300).optional();

/** Where search engines are told something else than visitors. */
export const seoInput = z
  .object({
    title: z.string().optional(),
    description: z.string().optional(),
    image: z.string().optional(),
    noIndex: z.boolean().optional(),
  })
  .optional();
