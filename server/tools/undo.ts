import { z } from 'zod';
import type { ContentBackend, Undone } from '#server/site/content-backend';
import {
  type ChangeOrigin,
  type ChangeSet,
  type FieldChange,
  siteDocumentKeys,
  type UndoOutcome,
  type WriteNotes,
} from '#server/core/site/changes';
import { entryTypes } from '#server/core/site/content';
import { SCHEDULE_FIELD } from '#server/site/field-changes';
import { changedPlace } from '#server/site/text/text-places';
import { ConflictError, InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { oneLine } from '#server/core/text/short-text';
import type { EffectTarget, ToolEffect } from '#server/core/conversation/tool-effect';
import { textFromRow } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { restoreEntry, restoreEntryEffect, isPublishedByRestore, entryOrTrashedId } from '#server/tools/restore';
import { effect, revisionOf } from '#server/tools/effects';
import { changeResult, entryResult, notesResult } from '#server/tools/result-fields';
import { nameInput, refInput } from '#server/tools/schemas';
import { defineTool, type EffectContext } from '#server/tools/tool';
import { changeText } from '#server/site/change-summary';

/** Largest number of changes of one undo that are listed individually. */
const MAX_LISTED = 20;

/** Selects the changes of the whole conversation, or of the turn of a change (default: of the newest). */
async function undoSelection(
  content: ContentBackend,
  { changeId, scope }: { readonly changeId?: string | undefined; readonly scope: 'turn' | 'session' },
  { sessionId }: ChangeOrigin,
): Promise<{ sessionId: string; turnIds?: string[] }> {
  if (sessionId === undefined) throw new InvalidInputError('There is no conversation here to undo.');
  if (scope === 'session') return { sessionId };
  const change =
    changeId === undefined ? await content.newestStanding(sessionId) : (await content.change(changeId)).change;
  if (change === null) throw new ConflictError(serverText('nothing-to-take-back'));
  const { origin } = change;
  if (origin.sessionId === undefined || origin.turnId === undefined) {
    throw new ToolError(`"${change.summary}" was not made in a turn: undo it alone.`);
  }
  return { sessionId: origin.sessionId, turnIds: [origin.turnId] };
}

/**
 * Largest number of fields whose current values an undo's result shows, and of characters of each; fewer for an undo of
 * a whole turn.
 */
const MAX_FIELDS = 12;
const MAX_TEXT = 400;
const MAX_FIELDS_OF_MANY = 6;
/** Longest summary of an undone change in a line, in characters. */
const MAX_SUMMARY = 120;

/**
 * Current values of the fields that these changes altered; of a long text only the changed place. If several changes
 * altered one field, its value after the last of them. For a trashed target, only the fact that it is in the trash.
 */
async function standsNow(
  content: ContentBackend,
  changes: readonly ChangeSet[],
  most = MAX_FIELDS,
): Promise<Record<string, JsonValue>> {
  const now = new Map<string, JsonValue>();
  const trashed = await trashedOf(content, changes);
  for (const { id, targetId, title } of changes.slice(-MAX_LISTED)) {
    if (trashed.has(targetId)) continue;
    for (const { field, sectionId, kind, before, after } of (await content.change(id)).fields) {
      now.set(`${targetId} ${sectionId ?? ''} ${field}`, {
        in: changes.length > 1 ? `${title} › ${field}` : field,
        ...(sectionId !== undefined && { sectionId }),
        ...(kind === 'moved' && typeof after === 'number'
          ? { position: after }
          : { text: after === null ? null : textNow(before, after) }),
      });
    }
  }
  const fields = [...now.values()];
  const more = fields.length - most;
  return {
    ...(fields.length > 0 && { now: more > 0 ? [...fields.slice(0, most), `and ${more} more`] : fields }),
    ...(trashed.size > 0 && { inTrash: [...trashed].map(([id, title]) => `${id} "${title}"`) }),
  };
}

/** The titles of pages and posts that are now in the trash, by their ids. */
async function trashedOf(content: ContentBackend, changes: readonly ChangeSet[]): Promise<Map<string, string>> {
  const entries = new Map(
    changes
      .filter(({ targetType }) => entryTypes.some((type) => type === targetType))
      .map(({ targetId, title }) => [targetId, title]),
  );
  for (const id of entries.keys()) if ((await content.find(id)) !== null) entries.delete(id);
  return entries;
}

function textNow(before: JsonValue, after: JsonValue): string {
  if (typeof after !== 'string') return oneLine(JSON.stringify(after), MAX_TEXT);
  return typeof before === 'string' ? changedPlace(before, after) : oneLine(after, MAX_TEXT);
}

async function outcomeResult(content: ContentBackend, outcome: UndoOutcome & WriteNotes): Promise<JsonValue> {
  const { undone, conflicts } = outcome;
  const lines = undone.slice(0, MAX_LISTED).map(({ id, summary }) => `${id} ${oneLine(summary, MAX_SUMMARY)}`);
  return {
    undone: undone.length,
    changes: undone.length > MAX_LISTED ? [...lines, `and ${undone.length - MAX_LISTED} more`] : lines,
    ...(await standsNow(content, undone, MAX_FIELDS_OF_MANY)),
    ...(conflicts.length > 0 && {
      kept: conflicts.slice(0, MAX_LISTED).map(({ change, message }) => ({
        changeId: change.id,
        summary: oneLine(change.summary, MAX_SUMMARY),
        because: message,
      })),
    }),
    ...notesResult(outcome),
  };
}

/** Undoes changes, or restores an entry from the trash or to an earlier state. */
export const undo = defineTool({
  name: 'undo',
  description:
    "Take back a change (default: this conversation's newest), its whole turn, or all of this conversation. With ref: restore that from the trash, or its draft to revision.",
  input: z.strictObject({
    changeId: nameInput(100).optional().describe('chg_...'),
    scope: z.enum(['change', 'turn', 'session']).optional(),
    ref: refInput.optional(),
    revision: z.int().min(0).optional().describe('0: as published'),
  }),
  writes: true,
  withoutConversation: {
    description:
      'Take back a change (list_revisions has their ids). With ref: restore that from the trash, or its draft to revision.',
    fields: { scope: null },
  },
  // "The newest change" is a different one each time.
  changesAnotherEachTime: (input) => Object.keys(input).length === 0,
  async asks(input, context) {
    const { changeId, scope = 'change', revision } = input;
    const ref = await entryOf(input, context);
    if (ref !== undefined) return isPublishedByRestore(context, ref, revision);
    const change = await changeToUndo(changeId, context);
    return scope !== 'change' || (change !== null && (await isNoticed(context, change)));
  },
  async effect(input, context) {
    const { changeId, scope = 'change', revision } = input;
    const ref = await entryOf(input, context);
    if (ref !== undefined) return restoreEntryEffect(context, ref, revision);
    if (scope === 'change') return undoEffect(changeId, context);
    const { content, origin } = context;
    return undoAllEffect(scope, await undoSelection(content, { changeId, scope }, origin), context);
  },
  async execute(input, { content, origin, noteSummary }) {
    const { changeId, scope = 'change', revision } = input;
    const ref = await entryOf(input, { content });
    if (ref !== undefined) {
      const back = await restoreEntry(content, ref, revision, origin);
      return entryResult(
        back,
        revision === undefined || !back.change ? {} : await standsNow(content, [back.change]).catch(() => ({})),
      );
    }
    if (scope === 'change') {
      const change = await changeToUndo(changeId, { content, origin });
      const undone = await content.undo(changeId, origin);
      noteSummary?.(undone.summaryMessage);
      return { ...(await undoneResult(content, undone)), ...(await othersOfTurn(content, change)) };
    }
    const selection = await undoSelection(content, { changeId, scope }, origin);
    return outcomeResult(content, await content.undoAll(selection, origin, { partial: true }));
  },
});

/**
 * The entry to restore; undefined: changes are undone, also if their entry is named in addition to them.
 * @throws InvalidInputError for a revision without an entry, because the newest change may belong to another one, and
 * for a change to a target other than the entry
 */
async function entryOf(
  {
    changeId,
    ref,
    revision,
  }: {
    readonly changeId?: string | undefined;
    readonly ref?: string | undefined;
    readonly revision?: number | undefined;
  },
  { content }: Pick<EffectContext, 'content'>,
): Promise<string | undefined> {
  if (ref === undefined && revision !== undefined)
    throw new InvalidInputError('revision goes with ref: say whose draft goes back to it.');
  if (ref !== undefined && changeId === undefined && siteDocumentKeys.some((key) => key === ref))
    await entryOrTrashedId(content, ref).catch(() => {
      throw new InvalidInputError(`Undo a change of "${ref}" by its changeId: list_revisions with this ref has it.`);
    });
  if (ref === undefined || changeId === undefined) return ref;
  const { change } = await content.change(changeId);
  const isSame = change.targetId === ref.trim() || change.targetId === (await entryOrTrashedId(content, ref)).id;
  if (!isSame)
    throw new InvalidInputError(
      `Not done: ${changeId} is a change of "${change.title}", and ref names something else. Give only the one that is meant.`,
    );
  return revision === undefined ? undefined : ref;
}

/** Finds the change that an undo would reverse; null: no change is left. */
async function changeToUndo(
  changeId: string | undefined,
  { content, origin: { sessionId } }: EffectContext,
): Promise<ChangeSet | null> {
  if (changeId !== undefined) return (await content.change(changeId)).change;
  return sessionId === undefined ? null : content.newestStanding(sessionId);
}

/**
 * True if visitors would notice the undo of a change, immediately or later: a restored schedule publishes by itself.
 * Pictures, the menu and the settings have no drafts, so they always count.
 */
async function isNoticed({ content }: EffectContext, { id, action, targetType }: ChangeSet): Promise<boolean> {
  const isSite = targetType === 'asset' || (siteDocumentKeys as readonly string[]).includes(targetType);
  if (isSite || ['publish', 'unpublish', 'schedule', 'delete', 'restore', 'undo'].includes(action)) return true;
  const { fields } = await content.change(id);
  return fields.some(({ field }) => field === SCHEDULE_FIELD);
}

/** Effect of undoing one change. @throws the errors that the undo would throw */
async function undoEffect(changeId: string | undefined, context: EffectContext): Promise<ToolEffect> {
  const { content, origin } = context;
  const change = await changeToUndo(changeId, context);
  const { together = [] } = await content.undo(changeId, origin, { dryRun: true });
  if (change === null) return effect({ summary: serverText('nothing-to-undo'), targets: [] });
  const { fields } = await content.change(change.id);
  return effect({
    summary: serverText('undo', { changeId: change.id, text: changeText(change) }),
    targets: await targetsOf(content, [change, ...together]),
    changes: fields.map(reversed),
    warnings: together.map((each) => serverText('undo-together', { changeId: each.id, text: changeText(each) })),
  });
}

/** The result of an undo, with the other changes of the same edit that it reversed. */
async function undoneResult(
  content: ContentBackend,
  { together, ...change }: Undone,
): Promise<Record<string, JsonValue>> {
  return {
    ...changeResult(change),
    ...(await standsNow(content, [change, ...(together ?? [])])),
    ...(together && { together: together.slice(0, MAX_LISTED).map(({ id, title }) => ({ changeId: id, title })) }),
  };
}

/** Largest number of changes of a turn that are searched for changes in effect. */
const MAX_OF_TURN = 200;

/**
 * Lists a request's other changes that are in effect, and explains how to undo them, because one undo reverses only one
 * of them.
 */
async function othersOfTurn(content: ContentBackend, change: ChangeSet | null): Promise<Record<string, JsonValue>> {
  if (change === null || change.action === 'undo' || change.origin.turnId === undefined) return {};
  const { sessionId, turnId } = change.origin;
  const ofTurn = await content.changes({ sessionId, turnId, limit: MAX_OF_TURN });
  const standing = ofTurn.filter(({ action, undoneBy }) => action !== 'undo' && undoneBy === null).length;
  if (standing === 0) return {};
  const stand =
    standing === 1
      ? '1 other change of the same request stands'
      : `${standing} other changes of the same request stand`;
  return { note: `${stand}. To undo ${standing === 1 ? 'it' : 'them'} too: scope "turn", changeId ${change.id}.` };
}

/** Effect of undoing a turn or a conversation: what is restored, and what is not because it was changed since. */
async function undoAllEffect(
  scope: 'turn' | 'session',
  selection: Parameters<ContentBackend['undoAll']>[0],
  { content, origin }: EffectContext,
): Promise<ToolEffect> {
  const { undone, conflicts } = await content.undoAll(selection, origin, { partial: true, dryRun: true });
  return effect({
    summary: serverText('undo-all', { count: undone.length, scope }),
    targets: await targetsOf(content, undone),
    changes: undone.flatMap(writtenBy),
    warnings: conflicts.map(({ message, reason }) => serverText('stays', { text: textFromRow(message, reason) })),
  });
}

/**
 * What a change of a dry run would write, labelled by its target; for a change without such operations, its summary.
 */
function writtenBy({ title, summary, operations }: ChangeSet): FieldChange[] {
  const found = operations.flatMap((operation): FieldChange[] => {
    const change = { field: title, kind: 'changed' as const, before: null, after: null };
    switch (operation.op) {
      case 'set':
        return [{ ...change, field: `${title} › ${operation.field}`, after: operation.value }];
      case 'unset':
        return [{ ...change, field: `${title} › ${operation.field}`, kind: 'removed' }];
      case 'set-section':
        return Object.entries(operation.fields).map(([name, after]) => ({
          ...change,
          field: `${title} › ${name}`,
          sectionId: operation.sectionId,
          after,
        }));
      case 'insert-section':
        return [
          {
            ...change,
            field: `${title} › ${operation.section.type} section`,
            sectionId: operation.section.id,
            kind: 'added',
            after: operation.section.fields,
          },
        ];
      case 'remove-section':
        return [{ ...change, sectionId: operation.sectionId, kind: 'removed', before: operation.sectionId }];
      case 'move-section':
        return [{ ...change, sectionId: operation.sectionId, kind: 'moved', after: operation.index + 1 }];
    }
  });
  return found.length > 0 ? found : [{ field: title, kind: 'changed', before: null, after: summary }];
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
