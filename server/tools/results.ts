import type { Publication, WriteNotes } from '#server/content/content-backend';
import { sameDocument } from '#server/content/embedded/entry-state';
import type { ChangeSet } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { isoTime } from '#server/tools/publication-time';
import { ALT_IS_MISSING, sectionsWithoutAlt } from '#server/tools/missing-alt';

/**
 * The result of a write to an entry: what names it, its state, and the change's id, which `undo` takes. `extra`
 * comes first because it says what this tool did.
 */
export function entryResult(written: Publication, extra: Record<string, JsonValue> = {}): JsonValue {
  const { entry, change } = written;
  const undescribed = change === null ? [] : sectionsWithoutAlt(entry, change).map(({ id }) => id);
  const isPlanOlder = entry.planned !== null && !sameDocument(entry.planned, entry.draft);
  return {
    ...extra,
    id: entry.id,
    type: entry.type,
    title: entry.draft.title,
    slug: entry.draft.slug,
    status: entry.status,
    ...(entry.publishAt !== null && { publishAt: isoTime(entry.publishAt) }),
    ...(undescribed.length > 0 && { note: `${ALT_IS_MISSING} (${undescribed.join(', ')})` }),
    ...(isPlanOlder && { plan: PLAN_IS_OLDER }),
    ...(change !== null && { changeId: change.id }),
    ...notesResult(written),
  };
}

const PLAN_IS_OLDER =
  'It is published as it was when that was planned; what was changed since stays a draft. publish_content with at plans it as it is now.';

/** What the site made of a write otherwise than asked: the model has to know. */
export function notesResult({ notes = [] }: WriteNotes): Record<string, JsonValue> {
  return notes.length === 0 ? {} : { siteNotes: [...notes] };
}

/** One change as the model reads it. */
export function changeResult(change: ChangeSet & WriteNotes): Record<string, JsonValue> {
  return {
    changeId: change.id,
    action: change.action,
    target: change.targetType,
    targetId: change.targetId,
    ...(change.slug === null ? {} : { slug: change.slug }),
    title: change.title,
    summary: change.summary,
    ...notesResult(change),
  };
}
