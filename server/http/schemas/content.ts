import { z } from 'zod';
import type { EntryType, PatchOp, SiteSettings } from '#server/core/content';
import { sectionTypes } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { jsonValueSchema } from '#server/core/json';

/* Shapes only: the backend checks texts, slugs, links and section fields, for tools and routes alike. */

const COLLECTIONS: ReadonlyMap<string, EntryType> = new Map([
  ['pages', 'page'],
  ['posts', 'post'],
]);

/** `pages` or `posts`; anything else is an address that does not exist. */
const collection = z.string().transform((name) => {
  const type = COLLECTIONS.get(name);
  if (type === undefined) throw new NotFoundError('collection', name.slice(0, 80), 'There are pages and posts.');
  return type;
});

/** Next hands some parts of a path over as they were sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An id, a slug or a title. */
const ref = z.string().min(1).max(1_000).transform(decoded);

export const collectionParams = z.object({ collection });
export const entryParams = z.object({ collection, ref });

const count = (most: number) => z.coerce.number().int().min(0).max(most).optional();

export const listEntriesQuery = z.object({
  status: z.enum(['draft', 'published', 'changed']).optional(),
  tag: z.string().min(1).max(40).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  offset: count(1_000_000),
});

export const revisionsQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).optional() });

const fields = z.record(z.string(), jsonValueSchema);
const newSection = z.strictObject({ type: z.enum(sectionTypes), fields: fields.default({}) });
const sectionId = z.string().min(1).max(80);
const index = z.number().int().min(0);

export const createEntryBody = z.strictObject({
  title: z.string(),
  slug: z.string().optional(),
  excerpt: z.string().optional(),
  author: z.string().optional(),
  tags: z.array(z.string()).optional(),
  image: z.string().optional(),
  sections: z.array(newSection).optional(),
});

const setOp = z.strictObject({
  op: z.literal('set'),
  field: z.enum(['title', 'slug', 'excerpt', 'author', 'tags', 'image']),
  value: jsonValueSchema,
});

/** As core's patchOpSchema, but strict, and a new section needs no id: it gets one. */
const operation: z.ZodType<PatchOp> = z.discriminatedUnion('op', [
  setOp,
  z.strictObject({ op: z.literal('unset'), field: z.enum(['excerpt', 'author', 'tags', 'image']) }),
  z.strictObject({
    op: z.literal('insert-section'),
    section: newSection.extend({ id: sectionId.default(() => createShortId('sec')) }),
    index: index.optional(),
  }),
  z.strictObject({ op: z.literal('set-section'), sectionId, fields }),
  z.strictObject({ op: z.literal('move-section'), sectionId, index }),
  z.strictObject({ op: z.literal('remove-section'), sectionId }),
]);

/** Null removes an optional field. */
const entryFields = z.strictObject({
  title: z.string().optional(),
  slug: z.string().optional(),
  excerpt: z.string().nullable().optional(),
  author: z.string().nullable().optional(),
  tags: z.array(z.string()).nullable().optional(),
  image: z.string().nullable().optional(),
});

function fieldOperations(values: z.infer<typeof entryFields>): PatchOp[] {
  const { title, slug, ...optional } = values;
  const operations: PatchOp[] = [];
  if (title !== undefined) operations.push({ op: 'set', field: 'title', value: title });
  if (slug !== undefined) operations.push({ op: 'set', field: 'slug', value: slug });
  for (const field of ['excerpt', 'author', 'tags', 'image'] as const) {
    const value = optional[field];
    if (value !== undefined) operations.push(value === null ? { op: 'unset', field } : { op: 'set', field, value });
  }
  return operations;
}

/** Fields and operations of one change; gives all of it as operations, the fields first. */
export const updateEntryBody = entryFields
  .extend({ operations: z.array(operation).max(200).optional(), ifRevision: z.number().int().min(1).optional() })
  .transform(({ operations = [], ifRevision, ...values }) => ({
    operations: [...fieldOperations(values), ...operations],
    ifRevision,
  }));

export const restoreBody = z.strictObject({ revision: z.number().int().min(1) });

export const undoBody = z.strictObject({
  changeId: z.string().min(1).max(80).optional(),
  /** Without `changeId`: the newest change of this session. */
  sessionId: z.string().min(1).max(80).optional(),
});

const navigationLink = z.strictObject({ label: z.string(), href: z.string() });
export const navigationBody = z.strictObject({
  items: z.array(navigationLink.extend({ children: z.array(navigationLink).optional() })),
});

/** Some of the settings. */
export const settingsBody = z
  .strictObject({
    siteName: z.string(),
    tagline: z.string(),
    homeSlug: z.string(),
    contactEmail: z.string(),
    footerText: z.string(),
    accentColor: z.string(),
  } satisfies Record<keyof SiteSettings, z.ZodString>)
  .partial()
  .transform((settings) => settings as Partial<SiteSettings>);
