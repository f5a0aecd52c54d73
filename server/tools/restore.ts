import type { ContentBackend } from '#server/site/content-backend';
import { documentChanges } from '#server/site/field-changes';
import type { ChangeOrigin, Publication } from '#server/core/site/changes';
import { NotFoundError, ToolError } from '#server/core/errors';
import type { EntryItem, EntryPage } from '#server/core/site/site-lists';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import { serverText } from '#server/core/messages/server-text';
import { effect, revisionOf } from '#server/tools/effects';
import { resolveEntry } from '#server/tools/schemas';
import type { EffectContext } from '#server/tools/tool';

/* The part of the undo tool that restores an entry: from the trash, or to an earlier revision. */

/** Restores an entry from the trash, or its draft to the state after a revision (0: the published state), or both. */
export async function restoreEntry(
  content: ContentBackend,
  ref: string,
  revision: number | undefined,
  origin: ChangeOrigin,
): Promise<Publication> {
  const { id, isTrashed } = await entryOrTrashedId(content, ref);
  if (revision === 0) return content.discardDraft(id, origin);
  if (revision !== undefined) return content.restoreVersion(id, revision, origin);
  if (!isTrashed) throw new ToolError('It is not in the trash. Name a revision to go back to (list_revisions).');
  return content.restore(id, origin);
}

/** Effect of `restoreEntry`. @throws the errors that `restoreEntry` would throw */
export async function restoreEntryEffect(
  context: EffectContext,
  ref: string,
  revision: number | undefined,
): Promise<ToolEffect> {
  const { content } = context;
  const { id } = await entryOrTrashedId(content, ref);
  if (revision !== undefined) return revertEffect(content, id, revision);
  return untrashEffect(content, id, await scheduleAfterRestore(context, id));
}

/**
 * True if visitors would see the result of `restoreEntry`: the entry is published again, immediately or by its former
 * schedule.
 */
export async function isPublishedByRestore(
  context: EffectContext,
  ref: string,
  revision: number | undefined,
): Promise<boolean> {
  const { id, isTrashed } = await entryOrTrashedId(context.content, ref);
  if (!isTrashed) return false;
  if ((await trashed(context.content, id)).publishedAt !== null) return true;
  // A draft that is restored to a revision has no schedule.
  return revision === undefined && (await scheduleAfterRestore(context, id)) !== null;
}

/**
 * Effect of restoring an entry from the trash.
 * @param publishAt when it will be published by its schedule, epoch milliseconds; null: it has none
 */
async function untrashEffect(content: ContentBackend, id: string, publishAt: number | null): Promise<ToolEffect> {
  const { type, title, publishedAt } = await trashed(content, id);
  return effect({
    summary: serverText('restore', { title, isPublished: publishedAt !== null, publishAt }),
    targets: [{ type, id, title, revision: await revisionOf(content, id) }],
  });
}

async function scheduleAfterRestore({ content, origin }: EffectContext, id: string): Promise<number | null> {
  return (await content.restore(id, origin, { dryRun: true })).entry.publishAt;
}

/** Effect of resetting a draft to its state after a revision; 0: to the published state. */
async function revertEffect(content: ContentBackend, id: string, revision: number): Promise<ToolEffect> {
  const entry = await content.find(id);
  if (entry === null) return restoreRevisionEffect(content, id, revision);
  const { type, draft } = entry;
  const former = revision === 0 ? entry.published : await content.version(id, revision);
  return effect({
    summary: serverText('revert', { title: draft.title, revision }),
    targets: [{ type, id, title: draft.title, revision: entry.revision }],
    changes: former ? documentChanges(draft, former) : [],
  });
}

/** Effect of restoring an entry from the trash with its draft in the state after a revision. */
async function restoreRevisionEffect(content: ContentBackend, id: string, revision: number): Promise<ToolEffect> {
  const { type, title, publishedAt } = await trashed(content, id);
  const newest = await revisionOf(content, id);
  const [draft, former] = await Promise.all([content.version(id, newest), content.version(id, revision)]);
  return effect({
    summary: serverText('restore-revision', { title, isPublished: publishedAt !== null, publishAt: null, revision }),
    targets: [{ type, id, title, revision: newest }],
    changes: documentChanges(draft, former),
  });
}

/** All entries in the trash. */
async function trashedEntries(content: ContentBackend): Promise<EntryItem[]> {
  const found: EntryItem[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: EntryPage = await content.query({ state: 'trashed', limit: 100, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

async function trashed(content: ContentBackend, id: string): Promise<EntryItem> {
  const entry = (await trashedEntries(content)).find((item) => item.id === id);
  if (entry === undefined) throw new NotFoundError('entry in the trash', id.slice(0, 80));
  return entry;
}

/**
 * The id of the entry that `ref` names. An id finds a trashed entry; a title or slug only if no entry outside the trash
 * matches.
 * @throws NotFoundError; ToolError if several trashed entries match
 */
export async function entryOrTrashedId(
  content: ContentBackend,
  ref: string,
): Promise<{ id: string; isTrashed: boolean }> {
  const items = await trashedEntries(content);
  const name = ref.trim().toLowerCase();
  const byId = items.find(({ id }) => id === name);
  if (byId !== undefined) return { id: byId.id, isTrashed: true };
  if ((await content.find(ref)) !== null) return { id: (await resolveEntry(content, ref)).id, isTrashed: false };
  const named = items.filter(({ title, slug }) => [title.toLowerCase(), slug, `/${slug}`].includes(name));
  if (named.length > 1) {
    throw new ToolError(`"${ref}" fits several in the trash: ${named.map(({ id }) => id).join(', ')}. Use an id.`);
  }
  const [found] = named;
  return found === undefined
    ? { id: (await content.get(ref)).id, isTrashed: false }
    : { id: found.id, isTrashed: true };
}
