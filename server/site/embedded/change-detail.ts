import { blockersOf, chainsOf } from '#server/site/embedded/change-chains';
import type { ContentReader, JournalEntry } from '#server/site/embedded/content-store';
import { assetStateFromJson } from '#server/site/embedded/asset-state';
import { type EntryState, stateFromJson } from '#server/site/embedded/entry-state';
import { documentChanges, SCHEDULE_FIELD, recordChanges, valueChanges } from '#server/site/field-changes';
import type { FieldChange } from '#server/core/site/changes';
import { NotFoundError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { ChangeDetail } from '#server/core/site/site-lists';

/** Reads one change: its fields, before and after, and the later changes that block its undo. @throws NotFoundError */
export async function readChange(reader: ContentReader, changeId: string): Promise<ChangeDetail> {
  const record = await reader.journalEntry(changeId);
  if (record === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const { change } = record;
  const chains = change.undoneBy !== null ? [] : chainsOf(await reader.journalOf(change.targetId));
  const chain = chains.find((each) => each.some((line) => line.change.id === change.id));
  const blockers = chain === undefined ? [] : blockersOf(chain, chains);
  return { change, fields: changedFields(record), blockedBy: blockers.length === 0 ? null : blockers };
}

function trashChange(before: boolean, after: boolean): FieldChange[] {
  return before === after ? [] : [{ field: 'in the trash', kind: 'changed', before, after }];
}

function timeText(state: EntryState | null): string | undefined {
  return typeof state?.publishAt === 'number' ? new Date(state.publishAt).toISOString() : undefined;
}

function entryChanges(before: EntryState | null, after: EntryState | null): FieldChange[] {
  const isUnpublished = before?.published && after && !after.published && after.deletedAt === null;
  const published = isUnpublished ? [] : documentChanges(before?.published ?? null, after?.published ?? null);
  const isMoved = before?.planned && after?.planned;
  const planned = isMoved ? documentChanges(before.planned, after.planned) : [];
  return [
    ...documentChanges(before?.draft ?? null, after?.draft ?? null),
    // The whole page was taken off the site: one line is clearer than a line for each of its texts.
    ...(isUnpublished ? [{ field: 'on the site', kind: 'changed', before: true, after: false } as const] : []),
    ...published.map((change) => ({ ...change, field: `published › ${change.field}` })),
    ...valueChanges(SCHEDULE_FIELD, timeText(before), timeText(after)),
    ...planned.map((change) => ({ ...change, field: `planned › ${change.field}` })),
    ...trashChange((before?.deletedAt ?? null) !== null, (after?.deletedAt ?? null) !== null),
  ];
}

function assetChanges(before: JsonValue, after: JsonValue): FieldChange[] {
  const [former, latter] = [before, after].map(assetStateFromJson);
  const values = [former, latter].map((state) => {
    if (!state) return {};
    const { filename, alt, tags, mediaType, size, width, height } = state;
    return { filename, alt, tags: [...tags], mediaType, size, width, height };
  });
  const changes = recordChanges(values[0] ?? {}, values[1] ?? {});
  const isReplaced = former && latter && former.hash !== latter.hash && changes.length === 0;
  return [
    ...changes,
    ...(isReplaced ? [{ field: 'file', kind: 'changed', before: former.hash, after: latter.hash } as const] : []),
    ...trashChange((former?.deletedAt ?? null) !== null, (latter?.deletedAt ?? null) !== null),
  ];
}

/** Differences between the two states of a change, field by field. */
function changedFields({ change, before, after }: JournalEntry): FieldChange[] {
  switch (change.targetType) {
    case 'page':
    case 'post':
      return entryChanges(stateFromJson(before), stateFromJson(after));
    case 'asset':
      return assetChanges(before, after);
    case 'navigation':
      return valueChanges('navigation', before, after);
    default:
      return recordChanges(before as Record<string, JsonValue>, after as Record<string, JsonValue>);
  }
}
