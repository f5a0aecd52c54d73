import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import type { EntryDocument, PatchOp } from '#server/core/site/content';
import { atMost, imageSourceSchema, line, prose, requiredLine } from '#server/core/text/safe-text';

/** A field of an entry other than its sections. */
export type DocumentField = Extract<PatchOp, { op: 'set' }>['field'];

/** Maximum number of characters of a slug. */
export const MAX_SLUG_LENGTH = 120;
/** Lower-case words joined by hyphens: `about-us`. */
export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Maximum tags of an entry or picture. */
const MAX_TAGS = 20;
/** Maximum number of taxonomies, or custom fields, of an entry of a connected site. */
const MAX_FIELDS = 1_000;
/** Maximum number of terms of one taxonomy. */
const MAX_TERMS = 100;

/** Tags of an entry or a picture, each once. */
export const tagsSchema = z
  .array(requiredLine(40))
  .max(MAX_TAGS, atMost(MAX_TAGS, 'tags'))
  .transform((tags) => [...new Set(tags)]);

/** Schemas of a document's fields. */
export const documentFieldSchemas = {
  title: requiredLine(200),
  slug: line(MAX_SLUG_LENGTH).regex(SLUG_PATTERN, valueRules.slug),
  excerpt: prose(500),
  author: line(120),
  tags: tagsSchema,
  image: imageSourceSchema,
  parent: requiredLine(80),
  seo: z.strictObject({
    title: line(200).optional(),
    description: line(500).optional(),
    image: z.union([z.literal(''), imageSourceSchema]).optional(),
    noIndex: z.boolean().optional(),
  }),
  terms: boundedRecord(line(80), z.array(requiredLine(200)).max(MAX_TERMS, atMost(MAX_TERMS, 'names')), MAX_FIELDS),
  custom: boundedRecord(line(120), z.union([z.string().max(20_000), z.number(), z.boolean()]), MAX_FIELDS),
} as const satisfies { readonly [Field in DocumentField]: z.ZodType<NonNullable<EntryDocument[Field]>> };
