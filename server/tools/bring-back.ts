import type { ContentBackend } from '#server/content/content-backend';
import { documentChanges } from '#server/content/field-changes';
import type { ChangeOrigin, Publication } from '#server/core/changes';
import { NotFoundError, ToolError } from '#server/core/errors';
import type { EntryItem, EntryPage } from '#server/core/site-lists';
import type { ToolEffect } from '#server/core/tool-effect';
import { effect, revisionOf } from '#server/tools/effects';
import { spokenTime } from '#server/tools/results';
import { resolveEntry } from '#server/tools/schemas';
import type { EffectContext } from '#server/tools/tool';

/* The undo tool where it is given an entry, and not a change. */

/** Brings an entry back from the trash, or its draft to what it was after a revision (0: as published), or both. */
export async function bringBack(
  content: ContentBackend,
  ref: string,
  revision: number | undefined,
  origin: ChangeOrigin,
): Promise<Publication> {
  const { id, isTrashed } = await idOf(content, ref);
  if (revision === 0) return content.discardDraft(id, origin);
  if (revision !== undefined) return content.restoreVersion(id, revision, origin);
  if (!isTrashed) throw new ToolError('It is not in the trash. Name a revision to go back to (list_revisions).');
  return content.restore(id, origin);
}

/** Effect of `bringBack`. @throws as it would */
export async function bringBackEffect(
  context: EffectContext,
  ref: string,
  revision: number | undefined,
): Promise<ToolEffect> {
  const { content } = context;
  const { id } = await idOf(content, ref);
  if (revision !== undefined) return revertEffect(content, id, revision);
  return broughtBack(content, id, await plannedOnceRestored(context, id));
}

/** True when visitors would see what `bringBack` does: the entry is published again, at once or by its former plan. */
export async function bringsOntoSite(
  context: EffectContext,
  ref: string,
  revision: number | undefined,
): Promise<boolean> {
  const { id, isTrashed } = await idOf(context.content, ref);
  if (!isTrashed) return false;
  if ((await trashed(context.content, id)).publishedAt !== null) return true;
  // A draft that comes back as of a revision has no plan.
  return revision === undefined && (await plannedOnceRestored(context, id)) !== null;
}

/** Effect of bringing an entry back from the trash. @param publishAt when it is published by itself then; null: it is not */
async function broughtBack(content: ContentBackend, id: string, publishAt: number | null): Promise<ToolEffect> {
  const { type, title, publishedAt } = await trashed(content, id);
  const site = publishedAt === null ? '' : ', and onto the site';
  const plan = publishAt === null ? '' : `; its publication is planned again, for ${spokenTime(publishAt)}`;
  return effect({
    summary: `Brings "${title}" back from the trash${site}${plan}.`,
    targets: [{ type, id, title, revision: await revisionOf(content, id) }],
  });
}

async function plannedOnceRestored({ content, origin }: EffectContext, id: string): Promise<number | null> {
  return (await content.restore(id, origin, { dryRun: true })).entry.publishAt;
}

/** Effect of putting a draft back to what it was after a revision; 0: to what is published. */
async function revertEffect(content: ContentBackend, id: string, revision: number): Promise<ToolEffect> {
  const entry = await content.find(id);
  if (entry === null) return revivedEffect(content, id, revision);
  const { type, draft } = entry;
  const former = revision === 0 ? entry.published : await content.version(id, revision);
  return effect({
    summary: `Puts the draft of "${draft.title}" back to ${revision === 0 ? 'what is published' : `revision ${revision}`}.`,
    targets: [{ type, id, title: draft.title, revision: entry.revision }],
    changes: former ? documentChanges(draft, former) : [],
  });
}

/** Effect of bringing an entry back from the trash with its draft as it was after a revision. */
async function revivedEffect(content: ContentBackend, id: string, revision: number): Promise<ToolEffect> {
  const restored = await broughtBack(content, id, null);
  const [target] = restored.targets;
  const [draft, former] = await Promise.all([
    content.version(id, target?.revision ?? 0),
    content.version(id, revision),
  ]);
  const summary = `${restored.summary} Its draft is as it was after revision ${revision}.`;
  return { ...restored, summary, changes: documentChanges(draft, former) };
}

/** All that is in the trash. */
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

/** The id of what `ref` names, in the trash where nothing else has that name. */
export async function idOf(content: ContentBackend, ref: string): Promise<{ id: string; isTrashed: boolean }> {
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
