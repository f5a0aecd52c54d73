import { z } from 'zod';
import type { EntryDocument, PatchOp } from '#server/core/content';
import { atMost, imageSourceSchema, line, prose, requiredLine } from '#server/core/safe-text';

/** A field of an entry that is not its sections. */
export type DocumentField = Extract<PatchOp, { op: 'set' }>['field'];

/** Most characters of a slug. */
export const MAX_SLUG_LENGTH = 120;
/** Lower-case words joined by hyphens: `about-us`. */
export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const MAX_TAGS = 20;
/** Most terms of one group. */
const MAX_TERMS = 100;

/** Tags of an entry or a picture, each once. */
export const tagsSchema = z
  .array(requiredLine(40))
  .max(MAX_TAGS, atMost(MAX_TAGS, 'tags'))
  .transform((tags) => [...new Set(tags)]);

/** Schemas of a document's fields. */
export const documentFieldSchemas = {
  title: requiredLine(200),
  slug: line(MAX_SLUG_LENGTH).regex(SLUG_PATTERN, 'must be lower-case words joined by hyphens, like about-us'),
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
  terms: z.record(line(80), z.array(requiredLine(200)).max(MAX_TERMS, atMost(MAX_TERMS, 'names'))),
  custom: z.record(line(120), z.union([z.string().max(20_000), z.number(), z.boolean()])),
} as const satisfies { readonly [Field in DocumentField]: z.ZodType<NonNullable<EntryDocument[Field]>> };
