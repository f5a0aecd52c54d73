import { quotedTitle } from '#server/content/change-summary';
import type { ContentReader } from '#server/content/embedded/content-store';
import type { Entry, EntryDocument, EntryType, PatchOp } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

/** Whether a page stands, as drafts have it, somewhere below another one, or is that one. */
async function standsBelow(reader: ContentReader, pageId: string, otherId: string): Promise<boolean> {
  const seen = new Set<string>();
  for (let id: string | null = pageId; id !== null && !seen.has(id);) {
    if (id === otherId) return true;
    seen.add(id);
    id = (await reader.place(id))?.parent ?? null;
  }
  return false;
}

/** For what comes back: a page whose parent is gone, or was put below it meanwhile, stands below none. */
export async function withoutLostParent(
  reader: ContentReader,
  id: string,
  { parent }: EntryDocument,
): Promise<PatchOp[]> {
  if (parent === undefined) return [];
  const isLost = (await reader.place(parent)) === null || (await standsBelow(reader, parent, id));
  return isLost ? [{ op: 'unset', field: 'parent' }] : [];
}

/**
 * Refuses a page above that cannot be it. One that was right when it was set stays, whatever became of it since; but
 * what comes out of the trash must not come to stand below itself.
 * @throws InvalidInputError for a post and for itself, NotFoundError for a page that is not there, ConflictError for
 * one that stands below.
 */
export async function checkParent(
  reader: ContentReader,
  entry: { readonly id: string; readonly type: EntryType },
  before: Pick<Entry, 'draft' | 'published' | 'deletedAt'> | null,
  draft: EntryDocument,
): Promise<void> {
  const { parent } = draft;
  const isSame = parent === before?.draft.parent;
  if (parent === undefined || (isSame && before?.deletedAt === null)) return;
  if (entry.type !== 'page')
    throw new InvalidInputError('Only pages stand below a page; leave the parent of a post out.');
  if (parent === entry.id) throw new InvalidInputError(`${quotedTitle(draft.title)} cannot be its own parent.`);
  const isKept = isSame || parent === before?.published?.parent;
  if (!isKept && (await reader.place(parent))?.type !== 'page') {
    throw new NotFoundError('page', parent.slice(0, 80), 'The parent is the id of a page.');
  }
  if (await standsBelow(reader, parent, entry.id)) {
    throw new ConflictError(`${quotedTitle(draft.title)} cannot stand below a page that stands below it (${parent}).`);
  }
}
