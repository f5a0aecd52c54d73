import type { EntryType } from '#server/core/content';
import type { Services } from '#server/services';

/**
 * The id of an entry, also of one in the trash, which only its id names.
 * @throws NotFoundError
 */
export async function idOfEntry(content: Services['content'], ref: string, collection: EntryType): Promise<string> {
  const entry = await content.find(ref, collection);
  if (entry !== null) return entry.id;
  const [newest] = await content.changes({ targetId: ref, limit: 1 });
  return newest?.targetType === collection ? ref : (await content.get(ref, collection)).id;
}
