import {
  type Entry,
  type EntryMark,
  type Reference,
  hasOutdatedSchedule,
  type PlannedDraft,
} from '#server/core/site/content';
import type { ChangeSet, Publication, WriteNotes } from '#server/core/site/changes';
import { literalMarkupNote } from '#server/site/validate-entry';
import type { JsonValue } from '#server/core/json';
import { MISSING_ALT_NOTE, sectionsWithoutAlt } from '#server/tools/missing-alt';
import { isoTime } from '#server/tools/times';
import { literalMarkup, type LiteralMarkup } from '#server/site/text/literal-markup';

/* Fields of tool results that describe an entry, a change or a reference to the model. */

/**
 * The result of a write to an entry: its identification, its state, and the id of the change for `undo`.
 * @param extra fields that describe what this tool did; they come first
 */
export function entryResult(written: Publication, extra: Record<string, JsonValue> = {}): JsonValue {
  const { entry, change } = written;
  const undescribed = change === null ? [] : sectionsWithoutAlt(entry, change).map(({ id }) => id);
  return {
    ...extra,
    id: entry.id,
    type: entry.type,
    ...(entry.draft.kind !== undefined && { kind: entry.draft.kind }),
    title: entry.draft.title,
    slug: entry.draft.slug,
    ...stateResult(entry),
    ...(entry.status === 'changed' && entry.deletedAt === null && { statusMeans: CHANGED_STATUS_MEANING }),
    ...(undescribed.length > 0 && { note: `${MISSING_ALT_NOTE} (${undescribed.join(', ')})` }),
    ...markupResult(written),
    ...(change !== null && { changeId: change.id }),
    ...notesResult(written),
  };
}

/** The state of an entry, and the parts of its draft that visitors do not see. */
export function stateResult({ status, deletedAt, publishAt, planned, draft, marks }: Entry): Record<string, JsonValue> {
  return {
    status: deletedAt === null ? status : 'trashed',
    ...marksResult({ marks }),
    ...(publishAt !== null && { publishAt: isoTime(publishAt) }),
    ...scheduleResult({ planned, draft }),
  };
}

/** Result field for a scheduled publication that does not include all of the draft; otherwise empty. */
export function scheduleResult(entry: PlannedDraft): Record<string, JsonValue> {
  return hasOutdatedSchedule(entry) ? { plan: SCHEDULED_COPY_IS_OLDER } : {};
}

/** Largest number of places with literally shown Markdown that a result names. */
const MAX_LITERAL = 3;

/** Result field for Markdown that a change has put into a field that shows it literally; otherwise empty. */
export function markupResult({ entry, change }: Publication): Record<string, JsonValue> {
  if (change?.action !== 'create' && change?.action !== 'update') return {};
  const touched = new Set(
    change.operations.flatMap((operation) => {
      if (operation.op === 'insert-section') return operation.section.id;
      if (operation.op === 'set-section') return operation.sectionId;
      return operation.op === 'set' ? operation.field : [];
    }),
  );
  const isTouched = ({ path, sectionId = path.split('.')[0]! }: LiteralMarkup) => touched.has(sectionId);
  const found = literalMarkup(entry.draft).filter((each) => change.action === 'create' || isTouched(each));
  return found.length === 0
    ? {}
    : { literal: found.slice(0, MAX_LITERAL).map(({ markup }) => literalMarkupNote(markup).text) };
}

/** Result field for an entry's marks; empty if it has none. */
export function marksResult({ marks = [] }: Pick<Entry, 'marks'>): Record<string, JsonValue> {
  return marks.length === 0 ? {} : { alsoIs: marks.map((mark) => MARK_MEANS[mark]) };
}

const MARK_MEANS: Readonly<Record<EntryMark, string>> = {
  private: 'private: nobody but editors of the site reads it, until it is published',
  password: 'protected: visitors need a password',
  pending: 'pending: waits for somebody’s review',
  sticky: 'sticky: stays in front of other posts',
  'read-only':
    'made with a page builder or a form of a plugin in WordPress: its sections are changed there only, and refused here; its details (title, slug, seo, terms) can be changed here',
};

/** The meaning of the status `changed`. */
export const CHANGED_STATUS_MEANING = 'published; the draft has newer edits, which visitors do not see yet';

/** What a newly scheduled publication publishes. */
export const SCHEDULED_COPY_NOTE =
  'The draft is published as it is now. What is changed until then stays a draft: to include it, plan again with publish_content and at.';

const SCHEDULED_COPY_IS_OLDER =
  'It is published as it was when that was planned; what was changed since stays a draft. publish_content with at plans it as it is now.';

/** Result field with the notes of the site about a write, for example that it differs from the request; otherwise empty. */
export function notesResult({ notes = [] }: WriteNotes): Record<string, JsonValue> {
  return notes.length === 0 ? {} : { siteNotes: [...notes] };
}

/** One change in the form that the model reads. */
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

/** One place that leads to an entry, in the form that the model reads. */
export function referenceLine({ kind, from, text, isPublished }: Reference): JsonValue {
  const { type, id, title, sectionId } = from;
  return {
    kind,
    from: type === id ? id : `${id} "${title}"`,
    ...(sectionId !== undefined && { sectionId }),
    text,
    ...(!isPublished && { draftOnly: true }),
  };
}
