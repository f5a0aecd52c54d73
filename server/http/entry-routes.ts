import type { SiteServices } from '#server/services';
import type { z } from 'zod';
import { ConflictError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { EMBEDDED_SITE, type Entry, type EntryType, type PatchOp } from '#server/core/site/content';
import { entryChangeSchema } from '#server/core/site/changes';
import { route, type RouteInput } from '#server/http/route';
import type { Answered } from '#server/http/schemas/route-answer';
import { entryParams } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';
import { isJsonObject } from '#server/core/json';
import type { PlacedEntry } from '#server/core/site/site-lists';

/* What the routes of pages and posts (entries) have in common. */

type Input = RouteInput<z.infer<typeof entryParams>, z.infer<typeof writeQuery>, undefined>;

/** Writes to an entry, and returns what the route answers. */
type EntryWrite = (
  content: Input['services']['content'],
  id: string,
  origin: Input['origin'],
  options: Input['query'],
) => Promise<Answered<typeof entryChangeSchema>>;

/**
 * Declares a route that writes to a whole entry and needs no input except the entry's name.
 * @param summary for the API document
 * @param access `content:write` if visitors notice the write
 */
export function entryAction(summary: string, write: EntryWrite, access: 'content:draft' | 'content:write') {
  return route(
    { summary, answer: entryChangeSchema, access, params: entryParams, query: writeQuery },
    async ({ params, query, origin, services: { content } }) => {
      const { id } = await content.get(params.ref, params.collection);
      return write(content, id, origin, query);
    },
  );
}

/**
 * Finds the id of an entry by its id, slug or title. An entry in the trash is found by its id only.
 * @throws NotFoundError
 */
export async function idOfEntry(content: SiteServices['content'], ref: string, collection: EntryType): Promise<string> {
  const entry = await content.find(ref, collection);
  if (entry !== null) return entry.id;
  const [newest] = await content.changes({ targetId: ref, limit: 1 });
  return newest?.targetType === collection ? ref : (await content.get(ref, collection)).id;
}

/**
 * The entry whose preview links a request is about.
 * @throws ConflictError for a connected site, whose drafts are shown only by its own CMS; NotFoundError
 */
export async function sharedEntry(
  { content, requireSite }: Input['services'],
  { ref, collection }: Input['params'],
): Promise<Entry> {
  if (requireSite() !== EMBEDDED_SITE) throw new ConflictError(serverText('preview-links-built-in'));
  return content.get(ref, collection);
}

/** An entry with its addresses: path on the site, preview, editor. */
export async function placedEntry(
  { content, requireSite, sites }: Input['services'],
  entry: Entry,
): Promise<PlacedEntry> {
  const previewUrl = await content.previewUrl(entry);
  const isOneOfSeveral = sites.connectedIds.length > 0;
  return {
    ...entry,
    path: await content.pathOf(entry, 'draft'),
    publishedPath: entry.published === null ? null : await content.pathOf(entry, 'published'),
    previewUrl: isOneOfSeveral ? previewUrl.replace('/preview', `/preview/~${requireSite()}`) : previewUrl,
    editUrl: await content.editUrl(entry),
  };
}

/**
 * The operations of a request, in which each `set` of custom fields is completed by the other fields of the draft: fields
 * that the request does not name are kept. "" clears a field.
 */
export function withOtherCustomFields({ draft }: Entry, operations: readonly PatchOp[]): readonly PatchOp[] {
  return operations.map((operation) =>
    operation.op === 'set' && operation.field === 'custom' && isJsonObject(operation.value)
      ? { ...operation, value: { ...draft.custom, ...operation.value } }
      : operation,
  );
}
