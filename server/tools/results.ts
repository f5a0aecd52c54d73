import type { EntryChange } from '#server/content/content-backend';
import type { ChangeSet } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/**
 * The result of a write to an entry: what names it, its state, and the change's id, which `undo` takes. `extra`
 * comes first because it says what this tool did.
 */
export function entryResult({ entry, change }: EntryChange, extra: Record<string, JsonValue> = {}): JsonValue {
  return {
    ...extra,
    id: entry.id,
    type: entry.type,
    title: entry.draft.title,
    slug: entry.draft.slug,
    status: entry.status,
    changeId: change.id,
  };
}

/** One change as the model reads it. */
export function changeResult(change: ChangeSet): Record<string, JsonValue> {
  return {
    changeId: change.id,
    action: change.action,
    target: change.targetType,
    targetId: change.targetId,
    ...(change.slug === null ? {} : { slug: change.slug }),
    title: change.title,
    summary: change.summary,
  };
}
