import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import { type ChangeSet, entryTypes, siteDocumentKeys } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { oneLine } from '#server/core/visible-text';
import { assetIdIn } from '#server/tools/media-tools';
import { changeResult, isoTime } from '#server/tools/results';
import { nameInput, refInput, resolveEntry } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

function listed(change: ChangeSet, state: ChangeState): Record<string, JsonValue> {
  return {
    ...changeResult(change),
    revision: change.revision,
    by: change.origin.actor,
    at: isoTime(change.createdAt),
    state,
  };
}

/** Place of a change between the draft and visitors. */
type ChangeState = 'undone' | 'visitors see it' | 'draft' | 'in the trash';

/** Changes of one entry that are looked through for its publication. */
const MAX_SINCE_PUBLISHED = 200;

/** Tells of changes whether visitors see what they did. */
async function changeStates(
  content: ContentBackend,
  changes: readonly ChangeSet[],
): Promise<(change: ChangeSet) => ChangeState> {
  const published = new Map<string, number | null>();
  for (const { targetId, targetType } of changes) {
    if (published.has(targetId) || !isEntryType(targetType)) continue;
    published.set(targetId, await publishedRevision(content, targetId));
  }
  return ({ undoneBy, targetId, targetType, revision }) => {
    if (undoneBy !== null) return 'undone';
    if (!isEntryType(targetType)) return 'visitors see it';
    const until = published.get(targetId) ?? null;
    if (until === null) return 'in the trash';
    return revision <= until ? 'visitors see it' : 'draft';
  };
}

const isEntryType = (type: ChangeSet['targetType']) => entryTypes.some((each) => each === type);

/** The newest revision that visitors see all of; 0 where nothing is published, null for what is in the trash. */
async function publishedRevision(content: ContentBackend, id: string): Promise<number | null> {
  const entry = await content.find(id);
  if (entry === null) return null;
  if (entry.status !== 'changed') return entry.status === 'published' ? entry.revision : 0;
  const changes = await content.changes({ targetId: id, limit: MAX_SINCE_PUBLISHED });
  return changes.find(({ action, undoneBy }) => action === 'publish' && undoneBy === null)?.revision ?? 0;
}

/** A change on one line: `chg_..., revision 4, 2027-01-05T09:00:00+01:00, by user, draft: Changed "Pricing": ...` */
function lineOf(change: ChangeSet, state: ChangeState): string {
  const { id, revision, createdAt, origin, summary, targetId, undoneBy } = change;
  const by = origin.actor === 'assistant' ? '' : `, by ${origin.actor}`;
  const now = undoneBy === null ? state : `${state} by ${undoneBy}`;
  return `${id}, ${targetId} revision ${revision}, ${minuteOf(createdAt)}${by}, ${now}: ${oneLine(summary, MAX_SUMMARY)}`;
}

/** `2027-01-05 09:00`, in this server's zone. */
const minuteOf = (time: number) => isoTime(time).slice(0, 16).replace('T', ' ');

/** Characters of what a line says was done. */
const MAX_SUMMARY = 200;

/** The newest changes of this conversation or of everybody, of one thing or of the whole site; or what one altered. */
export const listRevisions = defineTool({
  name: 'list_revisions',
  description:
    'Newest changes of this conversation, with everybody of all, and whether visitors see them; of ref ("navigation", "settings", "standing-instructions" too); with changeId what it altered.',
  maxOutputChars: 12_000,
  input: z.object({
    ref: refInput.optional(),
    everybody: z.boolean().optional().describe('also what others changed'),
    changeId: nameInput(100).optional(),
    limit: z.int().min(1).max(50).optional().describe('default 10'),
  }),
  async execute({ ref, everybody = false, changeId, limit = 10 }, { content, origin: { sessionId } }) {
    if (changeId !== undefined) {
      const { change, fields } = await content.change(changeId);
      return {
        ...listed(change, (await changeStates(content, [change]))(change)),
        fields: fields as unknown as JsonValue,
      };
    }
    const isSiteDocument = siteDocumentKeys.some((key) => key === ref);
    const targetId =
      ref === undefined || isSiteDocument ? ref : (assetIdIn(ref) ?? (await resolveEntry(content, ref)).id);
    // Where there is no conversation, nobody is another.
    const ours = everybody ? undefined : sessionId;
    const changes = await content.changes({ targetId, sessionId: ours, limit });
    const stateOf = await changeStates(content, changes);
    const undos = new Set(changes.map(({ undoneBy }) => undoneBy));
    return {
      // What was done and undone is one line.
      changes: changes.filter(({ id }) => !undos.has(id)).map((change) => lineOf(change, stateOf(change))),
      ...(ours !== undefined && changes.length < limit && { note: 'Of this conversation alone: everybody lists all.' }),
    };
  },
});
