import type { ContentBackend, EntryPage, EntrySummary } from '#server/content/content-backend';
import { documentChanges, PLAN_FIELD } from '#server/content/field-changes';
import { type ChangeSet, type FieldChange, siteDocumentKeys } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import type { EffectTarget, ToolEffect } from '#server/core/tool-effect';
import { effect, revisionOf } from '#server/tools/effects';
import { spokenTime } from '#server/tools/publication-time';
import type { EffectContext } from '#server/tools/tool';

/** What would be taken back; null: nothing is left. */
export async function changeToUndo(
  changeId: string | undefined,
  { content, origin: { sessionId } }: EffectContext,
): Promise<ChangeSet | null> {
  if (changeId !== undefined) return (await content.change(changeId)).change;
  return sessionId === undefined ? null : content.newestStanding(sessionId);
}

/**
 * Visitors see what it did, at once or by a plan, and so its undoing: a plan that comes back publishes by itself.
 * Pictures have no drafts.
 */
export async function isNoticed({ content }: EffectContext, { id, action, targetType }: ChangeSet): Promise<boolean> {
  const isSite = targetType === 'asset' || (siteDocumentKeys as readonly string[]).includes(targetType);
  if (isSite || ['publish', 'unpublish', 'schedule', 'delete', 'restore', 'undo'].includes(action)) return true;
  const { fields } = await content.change(id);
  return fields.some(({ field }) => field === PLAN_FIELD);
}

/** Of the undo of one change. @throws as the undo would */
export async function undoEffect(changeId: string | undefined, context: EffectContext): Promise<ToolEffect> {
  const { content, origin } = context;
  const change = await changeToUndo(changeId, context);
  await content.undo(changeId, origin, { dryRun: true });
  if (change === null) return effect({ summary: 'Takes nothing back.', targets: [] });
  const { fields } = await content.change(change.id);
  return effect({
    summary: `Takes back: ${change.summary}.`,
    targets: await targetsOf(content, [change]),
    changes: fields.map(reversed),
  });
}

/** Of the undo of a turn or a conversation: what comes back, and what stays because it was changed since. */
export async function undoAllEffect(
  scope: 'turn' | 'session',
  selection: Parameters<ContentBackend['undoAll']>[0],
  { content, origin }: EffectContext,
): Promise<ToolEffect> {
  const { undone, conflicts } = await content.undoAll(selection, origin, { partial: true, dryRun: true });
  const whole = scope === 'turn' ? 'one turn' : 'this conversation';
  return effect({
    summary: `Takes back ${undone.length} ${undone.length === 1 ? 'change' : 'changes'} of ${whole}.`,
    targets: await targetsOf(content, undone),
    changes: undone.map(({ title, summary }) => ({ field: title, kind: 'changed', before: null, after: summary })),
    warnings: conflicts.map(({ message }) => `Stays: ${message}`),
  });
}

/** Of bringing an entry back from the trash. */
export async function restoreEffect(context: EffectContext, id: string): Promise<ToolEffect> {
  return broughtBack(context.content, id, await plannedOnceRestored(context, id));
}

/** @param publishAt when it is published by itself then; null: it is not */
async function broughtBack(content: ContentBackend, id: string, publishAt: number | null): Promise<ToolEffect> {
  const { type, title, publishedAt } = await trashed(content, id);
  const site = publishedAt === null ? '' : ', and onto the site';
  const plan = publishAt === null ? '' : `; its publication is planned again, for ${spokenTime(publishAt)}`;
  return effect({
    summary: `Brings "${title}" back from the trash${site}${plan}.`,
    targets: [{ type, id, title, revision: await revisionOf(content, id) }],
  });
}

/**
 * Whether visitors would see an entry that comes back from the trash, at once or by its former plan.
 * @param revision of the draft that it comes back with; such a one has no plan
 */
export async function goesOntoSite(context: EffectContext, id: string, revision?: number): Promise<boolean> {
  if ((await trashed(context.content, id)).publishedAt !== null) return true;
  return revision === undefined && (await plannedOnceRestored(context, id)) !== null;
}

async function plannedOnceRestored({ content, origin }: EffectContext, id: string): Promise<number | null> {
  return (await content.restore(id, origin, { dryRun: true })).entry.publishAt;
}

/** Of putting a draft back to what it was after a revision; 0: to what is published. */
export async function revertEffect(content: ContentBackend, id: string, revision: number): Promise<ToolEffect> {
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

/** Of bringing an entry back from the trash with its draft as it was after a revision. */
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
export async function trashedEntries(content: ContentBackend): Promise<EntrySummary[]> {
  const found: EntrySummary[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: EntryPage = await content.query({ state: 'trashed', limit: 100, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

async function trashed(content: ContentBackend, id: string): Promise<EntrySummary> {
  const entry = (await trashedEntries(content)).find((item) => item.id === id);
  if (entry === undefined) throw new NotFoundError('entry in the trash', id.slice(0, 80));
  return entry;
}

async function targetsOf(content: ContentBackend, changes: readonly ChangeSet[]): Promise<EffectTarget[]> {
  const things = new Map(changes.map((change) => [change.targetId, change]));
  const targets: EffectTarget[] = [];
  for (const [id, { targetType, title }] of things)
    targets.push({ type: targetType, id, title, revision: await revisionOf(content, id) });
  return targets;
}

const OPPOSITES = { added: 'removed', removed: 'added', changed: 'changed', moved: 'moved' } as const;

function reversed(change: FieldChange): FieldChange {
  return { ...change, kind: OPPOSITES[change.kind], before: change.after, after: change.before };
}
