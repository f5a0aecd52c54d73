import { z } from 'zod';
import type { IdPrefix } from '#server/core/ids';
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
export const revision = z.number().int().min(1).describe('Number of writes so far, for `ifRevision`');

/** What the ids of rows name. A field whose id means something more specific has a description of its own. */
const idMeanings = {
  ses: 'Id of a session, as in `/api/sessions/{id}`',
  msg: 'Id of a message of a session',
  prt: 'Id of a part of a message',
  trn: 'Id of a turn',
  cmp: 'Id of a compaction or prune, as in `/api/sessions/{id}/compactions/{compactionId}`',
  que: 'Id of a queued message, as in `/api/message/queue/{id}`',
  blb: 'Id of an attachment, as in `/api/attachments/{id}`',
  mcp: 'Id of a tool server, as in `/api/settings/mcp-servers/{id}`',
  wps: 'Id of a connected site, as in `/api/settings/sites/{id}`',
  key: 'Id of an API key, as in `/api/keys/{id}`; it is not the key itself',
  sin: 'Id of a sign-in, as in `/api/auth/sign-ins/{id}`',
  psk: 'Id of a passkey, as in `/api/auth/factors/passkeys/{id}`',
  aud: 'Id of an entry of the audit log',
  imp: 'Id of an import of a site, as in `/api/content/imports/{id}`',
  req: 'Id of a pending approval, as in `/api/call-requests/{id}`',
  kep: 'Id of a preference, as in `/api/sessions/{id}/wishes/{wishId}`',
  sub: 'Id of a submission of a form',
  lnk: 'Id of a preview link of an entry; it is not the secret of its address',
  prc: 'Id of a compaction of a conversation that another program stores',
  cmt: 'Id of a comment that came through a preview link',
  bak: 'Id of a prepared copy of the database, as in `/api/backups/{id}`',
} satisfies Partial<Record<IdPrefix, string>>;

/** Schema of a row id with this prefix: the prefix and a lower-case ULID. */
export const idOf = (prefix: keyof typeof idMeanings) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
    .describe(idMeanings[prefix]);

const PAGE_ITEMS = 'The items of this page';
/** The `cursor` parameter of the request for the next page. */
const nextCursor = z.string().min(1).nullable().describe('`cursor` of the next page; null: this is the last one');

/** One page of a list; `nextCursor` is the `cursor` of the next page, null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item).describe(PAGE_ITEMS), nextCursor });

/** One page of a list that also counts the items of all pages. */
export const countedPageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    items: z.array(item).describe(PAGE_ITEMS),
    total: count.describe('Number of items on all pages together'),
    nextCursor,
  });

/** A list that is returned as a whole, without pages. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item).describe('All items; the list is not divided into pages') });
