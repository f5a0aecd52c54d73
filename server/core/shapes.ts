import { z } from 'zod';
import { type JsonValue, jsonValueSchema } from '#server/core/json';

/* Building blocks of the product's schemas; the types, the API responses and the API document are derived from them. */

/** A type whose fields and items are read-only on all levels. */
export type Immutable<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** Type of a schema's values, deeply read-only. */
export type Shape<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/**
 * Schemas that the API document (server/http/openapi/openapi-document) describes once, by name: `schema.register(components, { id })`. A
 * separate registry, because names in zod's global registry would also appear in the tool definitions that models
 * receive.
 */
export const components = z.registry<{ readonly id: string }>();

components.add(jsonValueSchema, { id: 'Json' });
/** Any JSON value. */
export const json = jsonValueSchema;

/** Epoch milliseconds. */
export const time = z
  .number()
  .int()
  // A smaller number would be in seconds or another unit.
  .refine((value) => value >= 1_600_000_000_000, 'is not a time')
  .describe('Epoch milliseconds');
/** Time of creation, change or first publication; for imported content it may be earlier than this installation. */
export const anyTime = z.number().int().describe('Epoch milliseconds');
/** A whole number, 0 or more. */
export const count = z.number().int().min(0);
/** Number of writes to a thing, from 1. */
export const revision = z.number().int().min(1);

/** Notes about a write that the site did not carry out exactly as requested, as sentences. */
export const notes = z
  .array(z.string().min(1))
  .optional()
  .describe('What the site made of it otherwise than asked, in sentences');

/** Schema of a row id with this prefix: the prefix and a lower-case ULID. */
export const idOf = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

/** One page of a list; `nextCursor` is the `cursor` of the next page, null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().min(1).nullable() });

/** One page of a list that also counts the items of all pages. */
export const countedPageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), total: count, nextCursor: z.string().min(1).nullable() });

/** A list that is returned as a whole, without pages. */
export const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ items: z.array(item) });
