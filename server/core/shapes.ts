import { z } from 'zod';
import { type JsonValue, jsonValueSchema } from '#server/core/json';

/* Building blocks of the product's schemas; types, the API's answers and its document follow them. */

type Immutable<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** The type of a schema's values, read-only all the way down. */
export type Shape<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/**
 * Schemas that the API's document (server/http/openapi) describes once, by name: `schema.register(components, { id })`.
 * A registry of its own: names in zod's would also end up in what models are told of the tools.
 */
export const components = z.registry<{ readonly id: string }>();

components.add(jsonValueSchema, { id: 'Json' });
/** Any JSON value. */
export const json = jsonValueSchema;

/** Epoch milliseconds. */
export const time = z
  .number()
  .int()
  // Seconds, or something else, would be less.
  .refine((value) => value >= 1_600_000_000_000, 'is not a time')
  .describe('Epoch milliseconds');
/** Creation, change or first publication; of what was imported, this may lie before us. */
export const anyTime = z.number().int().describe('Epoch milliseconds');
export const count = z.number().int().min(0);
/** Counts writes to a thing, from 1. */
export const revision = z.number().int().min(1);

/** Remarks of a site on a write that it did not carry out exactly as asked. */
export const notes = z
  .array(z.string().min(1))
  .optional()
  .describe('What the site made of it otherwise than asked, in sentences');

/** Ids of our own rows: a prefix and a lowercase ULID. */
export const idOf = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

/** One page of a list; `nextCursor` is the `cursor` of the next one, null on the last. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().min(1).nullable() });

/** One page of a list that also counts the items of all pages. */
export const countedPageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), total: count, nextCursor: z.string().min(1).nullable() });

/** A list that comes at once. */
export const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ items: z.array(item) });
