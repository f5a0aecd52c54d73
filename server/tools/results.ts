import { type Entry, type EntryMark, type Reference, type Section, hasOlderPlan } from '#server/core/content';
import type { ChangeSet, Publication, WriteNotes } from '#server/core/changes';
import { literally } from '#server/content/entry-links';
import { type LiteralMarkup, literalMarkup } from '#server/content/section-texts';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

/**
 * The result of a write to an entry: what names it, its state, and the change's id, which `undo` takes. `extra`
 * comes first because it says what this tool did.
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
    ...(entry.status === 'changed' && entry.deletedAt === null && { statusMeans: CHANGED_MEANS }),
    ...(undescribed.length > 0 && { note: `${ALT_IS_MISSING} (${undescribed.join(', ')})` }),
    ...markupResult(written),
    ...(change !== null && { changeId: change.id }),
    ...notesResult(written),
  };
}

/** The state of an entry, and what of its draft visitors do not see. */
export function stateResult({ status, deletedAt, publishAt, planned, draft, marks }: Entry): Record<string, JsonValue> {
  return {
    status: deletedAt === null ? status : 'trashed',
    ...marksResult({ marks }),
    ...(publishAt !== null && { publishAt: isoTime(publishAt) }),
    ...planResult({ planned, draft }),
  };
}

/** Result field for a planned publication that has not all of the draft in it; empty if there is none. */
export function planResult(entry: Pick<Entry, 'planned' | 'draft'>): Record<string, JsonValue> {
  return hasOlderPlan(entry) ? { plan: PLAN_IS_OLDER } : {};
}

/** Places that a result names of Markdown that is shown as it is written. */
const MAX_LITERAL = 3;

/** Result field for Markdown that a change has put where visitors read it as it is written; empty if there is none. */
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
  return found.length === 0 ? {} : { literal: found.slice(0, MAX_LITERAL).map(({ markup }) => literally(markup)) };
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
    'made with a page builder or a form of a plugin in WordPress: it is changed there only, and refused here',
};

/** The status `changed` in words. */
export const CHANGED_MEANS = 'published; the draft has newer edits, which visitors do not see yet';

/** What a publication that is planned just now publishes. */
export const PLAN_IS_FROZEN =
  'The draft is published as it is now. What is changed until then stays a draft: to include it, plan again with publish_content and at.';

const PLAN_IS_OLDER =
  'It is published as it was when that was planned; what was changed since stays a draft. publish_content with at plans it as it is now.';

/** Tells the model how the site carried out a write other than asked. */
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

/** Note to the model about a picture that nobody has described. */
export const ALT_IS_MISSING = 'alt is missing: describe it, or ask the user';

/** Fields that place a picture, and say what it shows. */
const PICTURE_FIELDS = new Set(['src', 'alt', 'image', 'imageAlt', 'images']);

function isBlank(value: JsonValue | undefined): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function lacksAlt({ type, fields }: Section): boolean {
  if (type === 'image') return isBlank(fields['alt']);
  if (type === 'hero') return !isBlank(fields['image']) && isBlank(fields['imageAlt']);
  const { images } = fields;
  if (type !== 'gallery' || !Array.isArray(images)) return false;
  return images.some((image) => typeof image === 'object' && image !== null && 'alt' in image && isBlank(image['alt']));
}

/** Sections in which a change has placed a picture that nobody has described. */
function sectionsWithoutAlt(entry: Entry, change: ChangeSet): readonly Section[] {
  const { sections } = entry.draft;
  const placed =
    change.action === 'create'
      ? sections
      : change.operations.flatMap((operation) => {
          if (operation.op === 'insert-section') return sections.filter(({ id }) => id === operation.section.id);
          if (operation.op !== 'set-section') return [];
          const isPlaced = Object.keys(operation.fields).some((field) => PICTURE_FIELDS.has(field));
          return isPlaced ? sections.filter(({ id }) => id === operation.sectionId) : [];
        });
  return placed.filter(lacksAlt);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i;

function twoDigits(value: number): string {
  return String(Math.trunc(Math.abs(value))).padStart(2, '0');
}

/** A time (epoch milliseconds) as models read it: to the second, in this server's zone. */
export function isoTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(offset / 60)}:${twoDigits(offset % 60)}`;
}

/** A day as models read it: `2027-01-05`, in this server's zone. */
export function isoDay(time: number): string {
  return isoTime(time).slice(0, 10);
}

/** A time for people: `Tue 5 Jan 2027, 09:00 GMT+1`, in this server's zone. */
export function spokenTime(time: number): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const date = new Intl.DateTimeFormat('en-GB', parts).format(time).replace(',', '');
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return `${date}, ${new Intl.DateTimeFormat('en-GB', clock).format(time)}`;
}

/**
 * The time that a model has planned something for, epoch milliseconds. Models do not know the date, so that a refusal
 * tells it.
 * @throws InvalidInputError for what is no time, for one without a zone, which may be the user's or this server's, and
 * for one that has passed
 */
export function readPublicationTime(text: string, now = Date.now()): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN;
  if (time > now) return time;
  const isPast = Number.isFinite(time);
  const problem = isPast
    ? `"${text}" has passed`
    : `"at" must be as 2027-01-05T09:00:00+01:00, with the user's zone at that time`;
  throw new InvalidInputError(`${problem}. Now it is ${isoTime(now)}.`);
}

/** One place that leads to an entry, as the model reads it. */
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
