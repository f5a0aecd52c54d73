import { allDone } from '#server/core/async';
import { mergedChange } from '#server/site/embedded/merge-change';
import { quotedTitle } from '#server/site/change-summary';
import type { Entry, EntryDocument, EntryType, PatchOp } from '#server/core/site/content';
import type { ChangeAction, ChangeOrigin, ChangeSet, EntryChange } from '#server/core/site/changes';
import {
  type ContentReader,
  type ContentTransaction,
  type JournalEntry,
  newChange,
  newChangeId,
} from '#server/site/embedded/content-store';
import { abandonedPaths } from '#server/site/embedded/entry-paths';
import { updateHomeSetting, renamedHome } from '#server/site/embedded/home-page';
import { type EntryState, stateToJson, statusOf } from '#server/site/embedded/entry-state';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { shortTitle } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { notesFrom } from '#server/core/message-data';

/** One write to an entry, decided but not yet stored. */
export interface EntryWrite {
  readonly id: string;
  readonly type: EntryType;
  /** The entry before; null when it is created. */
  readonly before: Entry | null;
  readonly after: EntryState;
  readonly action: ChangeAction;
  readonly operations?: readonly PatchOp[];
  readonly inverse?: readonly PatchOp[];
  readonly summary: ServerText;
  readonly origin: ChangeOrigin;
  /** Epoch milliseconds. */
  readonly now: number;
  /** A change that this one continues: both become one. Null or omitted: a separate change. */
  readonly joins?: JournalEntry | null;
  /** Creation time of an entry that was created elsewhere. Default: `now`. */
  readonly createdAt?: number;
}

function requireFreeSlug(owner: Entry | null, write: EntryWrite, slug: string, how: string): void {
  if (owner === null || owner.id === write.id) return;
  const isPublished = how === 'still published';
  const { id, type, draft } = owner;
  const message = serverText('slug-taken', { slug, isPublished, type, title: shortTitle(draft.title), id });
  throw new ConflictError(message, { details: { slug, id: owner.id } });
}

async function checkSlugs(tx: ContentTransaction, write: EntryWrite): Promise<void> {
  const { draft, published } = write.after;
  requireFreeSlug(await tx.entryBySlug(write.type, draft.slug), write, draft.slug, 'taken');
  if (published === null) return;
  requireFreeSlug(await tx.entryByPublishedSlug(write.type, published.slug), write, published.slug, 'still published');
}

/** Sections are addressed by id alone, so no two live entries may contain the same one. */
async function checkSectionIds(tx: ContentTransaction, write: EntryWrite): Promise<void> {
  const wasLive = write.before !== null && write.before.deletedAt === null;
  const known = new Set(wasLive ? write.before.draft.sections.map(({ id }) => id) : []);
  const added = write.after.draft.sections.map(({ id }) => id).filter((id) => !known.has(id));
  if (added.length === 0) return;
  const [clash] = (await tx.sectionOwners(added)).filter(({ entryId }) => entryId !== write.id);
  if (clash === undefined) return;
  throw new ConflictError(serverText('section-id-taken', { id: clash.sectionId, entry: clash.entryId }));
}

/**
 * Stores an entry's new state and its journal entry.
 * @throws ConflictError for a taken slug or section id.
 */
export async function commitEntry(tx: ContentTransaction, write: EntryWrite): Promise<EntryChange> {
  if (write.after.deletedAt !== null) return storeEntry(tx, write);
  // Read together: on a database server each read is a round trip.
  const [changeId] = await allDone([
    newChangeId(tx),
    checkSlugs(tx, write),
    checkSectionIds(tx, write),
    checkParent(tx, write, write.before, write.after.draft),
  ]);
  return storeEntry(tx, write, changeId);
}

/**
 * Stores an entry as `commitEntry` does, without its checks: slugs and section ids must be free.
 * @param changeId a free id for the change. Default: a new one
 */
export async function storeEntry(tx: ContentTransaction, write: EntryWrite, changeId?: string): Promise<EntryChange> {
  const { id, type, before, after, now } = write;
  const entry: Entry = {
    id,
    type,
    revision: (before?.revision ?? 0) + 1,
    status: statusOf(after),
    ...after,
    createdAt: before?.createdAt ?? write.createdAt ?? now,
    updatedAt: now,
  };
  const abandoned = await abandonedPaths(tx, before, entry);
  const formerHome = await renamedHome(tx, before, entry);
  await tx.saveEntry(entry);
  for (const { path, id: was } of abandoned) await tx.saveRedirect(path, was, now);
  // Recorded before the change of the entry, so that undoing the entry's change updates the settings again.
  const notes = formerHome === null ? null : await updateHomeSetting(tx, formerHome, entry, write);
  return { entry, change: await recordChange(tx, write, entry.revision, changeId), ...notesFrom(notes ?? []) };
}

async function recordChange(
  tx: ContentTransaction,
  write: EntryWrite,
  revision: number,
  changeId: string | undefined,
): Promise<ChangeSet> {
  const { id, type, before, after, joins = null } = write;
  if (joins !== null) {
    const joined = mergedChange(joins, write, revision);
    await tx.extendJournalEntry({ change: joined, before: joins.before, after: stateToJson(after) });
    return joined;
  }
  const made = {
    targetType: type,
    targetId: id,
    slug: after.draft.slug,
    title: after.draft.title,
    revision,
    action: write.action,
    operations: write.operations ?? [],
    inverse: write.inverse ?? [],
    summary: write.summary,
    origin: write.origin,
    createdAt: write.now,
  };
  const change = await newChange(tx, made, changeId);
  await tx.addJournalEntry({ change, before: before === null ? null : stateToJson(before), after: stateToJson(after) });
  return change;
}

/** True if, by the drafts, a page is a descendant of another one, or is that page. */
async function isBelow(reader: ContentReader, pageId: string, otherId: string): Promise<boolean> {
  const seen = new Set<string>();
  for (let id: string | null = pageId; id !== null && !seen.has(id);) {
    if (id === otherId) return true;
    seen.add(id);
    id = (await reader.place(id))?.parent ?? null;
  }
  return false;
}

/** Operations that remove the parent of a restored page if the parent no longer exists or is now below the page. */
export async function withoutLostParent(
  reader: ContentReader,
  id: string,
  { parent }: EntryDocument,
): Promise<PatchOp[]> {
  if (parent === undefined) return [];
  const isLost = (await reader.place(parent)) === null || (await isBelow(reader, parent, id));
  return isLost ? [{ op: 'unset', field: 'parent' }] : [];
}

/**
 * Refuses an invalid parent. A parent that was valid when it was set is kept, even if that page has changed since; but
 * a page that is restored from the trash must not end up below itself.
 * @throws InvalidInputError for a post and for the page itself, NotFoundError for a page that does not exist,
 * ConflictError for a page that is below this one.
 */
async function checkParent(
  reader: ContentReader,
  entry: { readonly id: string; readonly type: EntryType },
  before: Pick<Entry, 'draft' | 'published' | 'deletedAt'> | null,
  draft: EntryDocument,
): Promise<void> {
  const { parent } = draft;
  const isSame = parent === before?.draft.parent;
  if (parent === undefined || (isSame && before?.deletedAt === null)) return;
  if (entry.type !== 'page') throw new InvalidInputError(serverText('only-pages-have-parents'));
  if (parent === entry.id) throw new InvalidInputError(serverText('own-parent', { title: shortTitle(draft.title) }));
  const isKept = isSame || parent === before?.published?.parent;
  if (!isKept && (await reader.place(parent))?.type !== 'page') {
    throw new NotFoundError('page', parent.slice(0, 80), serverText('parent-is-a-page'));
  }
  if (await isBelow(reader, parent, entry.id)) {
    throw new ConflictError(serverText('below-itself', { title: quotedTitle(draft.title), parent }));
  }
}
