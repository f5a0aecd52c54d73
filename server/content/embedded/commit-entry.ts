import { joinedChange } from '#server/content/embedded/join-change';
import { quotedTitle } from '#server/content/change-summary';
import type { Entry, EntryDocument, EntryType, PatchOp } from '#server/core/content';
import type { ChangeAction, ChangeOrigin, ChangeSet, EntryChange } from '#server/core/changes';
import type { ContentReader, ContentTransaction, JournalEntry } from '#server/content/embedded/content-store';
import { abandonedPaths } from '#server/content/embedded/entry-paths';
import { followHome, renamedHome } from '#server/content/embedded/home-page';
import { type EntryState, newChange, stateToJson, statusOf } from '#server/content/embedded/entry-state';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

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
  readonly summary: string;
  readonly origin: ChangeOrigin;
  /** Epoch milliseconds. */
  readonly now: number;
  /** A change that this one goes on with: both become one. Null or left out: it is one of its own. */
  readonly joins?: JournalEntry | null;
  /** Creation time of an entry that was created elsewhere. Default: `now`. */
  readonly createdAt?: number;
}

function refuseTaken(owner: Entry | null, write: EntryWrite, slug: string, how: string): void {
  if (owner === null || owner.id === write.id) return;
  const message = `The slug "${slug}" is ${how} by the ${owner.type} ${quotedTitle(owner.draft.title)} (${owner.id}).`;
  throw new ConflictError(message, { details: { slug, id: owner.id } });
}

async function checkSlugs(tx: ContentTransaction, write: EntryWrite): Promise<void> {
  const { draft, published } = write.after;
  refuseTaken(await tx.entryBySlug(write.type, draft.slug), write, draft.slug, 'taken');
  if (published === null) return;
  refuseTaken(await tx.entryByPublishedSlug(write.type, published.slug), write, published.slug, 'still published');
}

/** Sections are addressed by id alone, so no two live entries may hold the same one. */
async function checkSectionIds(tx: ContentTransaction, write: EntryWrite): Promise<void> {
  const wasLive = write.before !== null && write.before.deletedAt === null;
  const known = new Set(wasLive ? write.before.draft.sections.map(({ id }) => id) : []);
  const added = write.after.draft.sections.map(({ id }) => id).filter((id) => !known.has(id));
  if (added.length === 0) return;
  const [clash] = (await tx.sectionOwners(added)).filter(({ entryId }) => entryId !== write.id);
  if (clash === undefined) return;
  throw new ConflictError(`The section id "${clash.sectionId}" is taken by another entry (${clash.entryId}).`);
}

/**
 * Stores an entry's new state and the journal's record of it.
 * @throws ConflictError for a taken slug or section id.
 */
export async function commitEntry(tx: ContentTransaction, write: EntryWrite): Promise<EntryChange> {
  if (write.after.deletedAt === null) {
    await checkSlugs(tx, write);
    await checkSectionIds(tx, write);
    await checkParent(tx, write, write.before, write.after.draft);
  }
  return storeEntry(tx, write);
}

/** Stores an entry as `commitEntry` does, without its checks: slugs and section ids must be free. */
export async function storeEntry(tx: ContentTransaction, write: EntryWrite): Promise<EntryChange> {
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
  // Before the entry's own change, which is the one that is taken back: the settings then follow it back.
  const notes = formerHome === null ? null : await followHome(tx, formerHome, entry, write);
  return { entry, change: await recordChange(tx, write, entry.revision), ...(notes && { notes }) };
}

async function recordChange(tx: ContentTransaction, write: EntryWrite, revision: number): Promise<ChangeSet> {
  const { id, type, before, after, joins = null } = write;
  if (joins !== null) {
    const joined = joinedChange(joins, write, revision);
    await tx.extendJournalEntry({ change: joined, before: joins.before, after: stateToJson(after) });
    return joined;
  }
  const change = await newChange(tx, {
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
  });
  await tx.addJournalEntry({ change, before: before === null ? null : stateToJson(before), after: stateToJson(after) });
  return change;
}

/** Tells whether a page is below another one in the drafts, or is that page. */
async function standsBelow(reader: ContentReader, pageId: string, otherId: string): Promise<boolean> {
  const seen = new Set<string>();
  for (let id: string | null = pageId; id !== null && !seen.has(id);) {
    if (id === otherId) return true;
    seen.add(id);
    id = (await reader.place(id))?.parent ?? null;
  }
  return false;
}

/** Operations for a page that is restored: it loses a parent that is gone, or that is now below it. */
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
async function checkParent(
  reader: ContentReader,
  entry: { readonly id: string; readonly type: EntryType },
  before: Pick<Entry, 'draft' | 'published' | 'deletedAt'> | null,
  draft: EntryDocument,
): Promise<void> {
  const { parent } = draft;
  const isSame = parent === before?.draft.parent;
  if (parent === undefined || (isSame && before?.deletedAt === null)) return;
  if (entry.type !== 'page') throw new InvalidInputError('Only pages have a parent: leave it out for a post.');
  if (parent === entry.id) throw new InvalidInputError(`${quotedTitle(draft.title)} cannot be its own parent.`);
  const isKept = isSame || parent === before?.published?.parent;
  if (!isKept && (await reader.place(parent))?.type !== 'page') {
    throw new NotFoundError('page', parent.slice(0, 80), 'The parent is the id of a page.');
  }
  if (await standsBelow(reader, parent, entry.id)) {
    throw new ConflictError(`${quotedTitle(draft.title)} cannot be below a page that is below it (${parent}).`);
  }
}
