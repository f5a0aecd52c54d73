import type { SiteServices } from '#server/services';
import type { z } from 'zod';
import type { Entry, EntryType } from '#server/core/content';
import { entryChangeSchema } from '#server/core/changes';
import { type Handler, route, type RouteInput } from '#server/http/route';
import type { Answered } from '#server/http/schemas/answer';
import { entryParams } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';
import type { PlacedEntry } from '#server/core/site-lists';

type Input = RouteInput<z.infer<typeof entryParams>, z.infer<typeof writeQuery>, undefined>;

/** Action on an entry. */
type EntryAct = (
  content: Input['services']['content'],
  id: string,
  origin: Input['origin'],
  options: Input['query'],
) => Promise<Answered<typeof entryChangeSchema>>;

/**
 * A write to a whole entry that needs no more than its name.
 * @param access `content:write` where visitors notice it
 */
export function entryAction(summary: string, act: EntryAct, access: 'content:draft' | 'content:write'): Handler {
  return route(
    { summary, answer: entryChangeSchema, access, params: entryParams, query: writeQuery },
    async ({ params, query, origin, services: { content } }) => {
      const { id } = await content.get(params.ref, params.collection);
      return act(content, id, origin, query);
    },
  );
}

/**
 * The id of an entry, also of one in the trash, which only its id names.
 * @throws NotFoundError
 */
export async function idOfEntry(content: SiteServices['content'], ref: string, collection: EntryType): Promise<string> {
  const entry = await content.find(ref, collection);
  if (entry !== null) return entry.id;
  const [newest] = await content.changes({ targetId: ref, limit: 1 });
  return newest?.targetType === collection ? ref : (await content.get(ref, collection)).id;
}

/** An entry with its addresses. */
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
