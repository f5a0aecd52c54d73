import { z } from 'zod';
import type { ContentBackend, WriteNotes } from '#server/content/content-backend';
import type { ChangeOrigin, UndoOutcome } from '#server/core/content';
import { ConflictError, InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { resolveEntry } from '#server/tools/resolve-entry';
import { changeResult, entryResult, notesResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import {
  changeToUndo,
  goesOntoSite,
  isNoticed,
  restoreEffect,
  revertEffect,
  trashedEntries,
  undoAllEffect,
  undoEffect,
} from '#server/tools/undo-effect';

/** Most changes of one undo that are listed one by one. */
const MAX_LISTED = 20;

/** Whose undoing `scope` means: the whole conversation, or the turn of a change (default: of the newest). */
async function undoSelection(
  content: ContentBackend,
  { changeId, scope }: { readonly changeId?: string | undefined; readonly scope: 'turn' | 'session' },
  { sessionId }: ChangeOrigin,
): Promise<{ sessionId: string; turnIds?: string[] }> {
  if (sessionId === undefined) throw new InvalidInputError('There is no conversation here to undo.');
  if (scope === 'session') return { sessionId };
  const change =
    changeId === undefined ? await content.newestStanding(sessionId) : (await content.change(changeId)).change;
  if (change === null) throw new ConflictError('There is nothing to undo.');
  const { origin } = change;
  if (origin.sessionId === undefined || origin.turnId === undefined) {
    throw new ToolError(`"${change.summary}" was not made in a turn: undo it alone.`);
  }
  return { sessionId: origin.sessionId, turnIds: [origin.turnId] };
}

function outcomeResult(outcome: UndoOutcome & WriteNotes): JsonValue {
  const { undone, conflicts } = outcome;
  return {
    undone: undone.length,
    changes: undone.slice(0, MAX_LISTED).map(changeResult),
    ...(conflicts.length > 0 && {
      kept: conflicts
        .slice(0, MAX_LISTED)
        .map(({ change, message }) => ({ changeId: change.id, summary: change.summary, because: message })),
    }),
    ...notesResult(outcome),
  };
}

/** The id of what `ref` names, in the trash where nothing else has that name. */
async function idOf(content: ContentBackend, ref: string): Promise<{ id: string; isTrashed: boolean }> {
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

async function bringBack(
  content: ContentBackend,
  ref: string,
  revision: number | undefined,
  origin: ChangeOrigin,
): Promise<JsonValue> {
  const { id, isTrashed } = await idOf(content, ref);
  if (revision === 0) return entryResult(await content.discardDraft(id, origin));
  if (revision !== undefined) return entryResult(await content.restoreVersion(id, revision, origin));
  if (!isTrashed) throw new ToolError('It is not in the trash. Name a revision to go back to (list_revisions).');
  return entryResult(await content.restore(id, origin));
}

/** Takes changes back, or brings an entry back from the trash or to an earlier state. */
export const undo = defineTool({
  name: 'undo',
  description:
    "Take back a change (default: this conversation's newest), its whole turn, or all of this conversation. With ref: restore that from the trash, or its draft to revision.",
  input: z.object({
    changeId: z.string().min(1).optional().describe('chg_...'),
    scope: z.enum(['change', 'turn', 'session']).optional(),
    ref: refInput.optional(),
    revision: z.int().min(0).optional().describe('0: as published'),
  }),
  writes: true,
  // "The newest change" is another one each time.
  changesAnotherEachTime: (input) => Object.keys(input).length === 0,
  async asks({ changeId, scope = 'change', ref, revision }, context) {
    const { content } = context;
    if (ref !== undefined) {
      const { id, isTrashed } = await idOf(content, ref);
      return isTrashed && (await goesOntoSite(context, id, revision));
    }
    const change = await changeToUndo(changeId, context);
    return scope !== 'change' || (change !== null && (await isNoticed(context, change)));
  },
  async effect({ changeId, scope = 'change', ref, revision }, context) {
    const { content, origin } = context;
    if (ref !== undefined) {
      const { id } = await idOf(content, ref);
      return revision === undefined ? restoreEffect(context, id) : revertEffect(content, id, revision);
    }
    if (scope === 'change') return undoEffect(changeId, context);
    return undoAllEffect(scope, await undoSelection(content, { changeId, scope }, origin), context);
  },
  async execute({ changeId, scope = 'change', ref, revision }, { content, origin }) {
    if (ref !== undefined) return bringBack(content, ref, revision, origin);
    if (scope === 'change') return changeResult(await content.undo(changeId, origin));
    const selection = await undoSelection(content, { changeId, scope }, origin);
    return outcomeResult(await content.undoAll(selection, origin, { partial: true }));
  },
});
