import { z } from 'zod';
import { canonicalDocument } from '#server/site/entry-document';
import {
  type Entry,
  type EntryDocument,
  entryDocumentSchema,
  type EntryMark,
  entryMarks,
  type EntryStatus,
  sameDocument,
} from '#server/core/site/content';
import { type JsonValue, toJson } from '#server/core/json';

/** The draft and the published version of an entry. */
export interface EntryVersions {
  readonly draft: EntryDocument;
  /** Null: visitors do not see it. */
  readonly published: EntryDocument | null;
}

/** Scheduled publication of an entry: time and content. */
export interface PublicationSchedule {
  /** Epoch milliseconds; null: it is not scheduled. */
  readonly publishAt: number | null;
  readonly planned: EntryDocument | null;
}

/** Parts of an entry that a change can alter: the `before` and `after` of its journal entries. */
export interface EntryState extends EntryVersions, PublicationSchedule {
  /** Epoch milliseconds; null: never. */
  readonly publishedAt: number | null;
  /** Epoch milliseconds; null: it is not in the trash. */
  readonly deletedAt: number | null;
  readonly marks?: Entry['marks'];
}

const entryStateSchema = z.object({
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: z.number().nullable(),
  // Journals from before scheduling existed lack this field.
  publishAt: z.number().nullable().default(null),
  planned: entryDocumentSchema.nullable().default(null),
  deletedAt: z.number().nullable(),
  marks: z.array(z.enum(entryMarks)).optional(),
});

/** The state of an entry (or of a wider object) with only the fields that the journal stores, in a fixed order. */
export function stateOf({
  draft,
  published,
  publishedAt,
  publishAt,
  planned,
  deletedAt,
  marks,
}: EntryState): EntryState {
  return { draft, published, publishedAt, publishAt, planned, deletedAt, ...marksOf(marks) };
}

/** Marks in the form that a state has: omitted if empty. */
export function marksOf(marks: readonly EntryMark[] = []): { readonly marks?: EntryMark[] } {
  return marks.length === 0 ? {} : { marks: [...marks] };
}

/** The marks that remain when everyone may read the entry. */
export function marksWhenPublished({ marks = [] }: EntryState): readonly EntryMark[] {
  return marks.filter((mark) => mark !== 'private' && mark !== 'pending');
}

/** The state as plain JSON. */
export function stateToJson(state: EntryState): JsonValue {
  return toJson(stateOf(state));
}

/** A state from the journal; null if the entry did not exist yet. */
export function stateFromJson(value: JsonValue): EntryState | null {
  if (value === null) return null;
  const state = entryStateSchema.parse(value);
  const canonical = (document: EntryDocument | null) => (document === null ? null : canonicalDocument(document));
  const draft = canonicalDocument(state.draft);
  // Schedules in older journals have no document; they refer to the draft of that time.
  const planned = state.publishAt === null ? null : (canonical(state.planned) ?? draft);
  const { marks, ...rest } = state;
  return { ...rest, draft, published: canonical(state.published), planned, ...marksOf(marks) };
}

/** The schedule of an entry that has none. */
export const NO_SCHEDULE: PublicationSchedule = { publishAt: null, planned: null };

/**
 * A schedule to restore: only if its time is in the future, because a time in the past would publish the entry
 * immediately.
 */
export function upcomingSchedule(state: PublicationSchedule | null, now: number): PublicationSchedule {
  if (state === null || state.publishAt === null || state.publishAt <= now) return NO_SCHEDULE;
  const { publishAt, planned } = state;
  return { publishAt, planned };
}

/** True if both schedules have the same time and content. */
export function sameSchedule(a: PublicationSchedule, b: PublicationSchedule): boolean {
  return a.publishAt === b.publishAt && sameDocument(a.planned, b.planned);
}

/** Status of an entry, from its draft and its published version. */
export function statusOf({ draft, published }: EntryVersions): EntryStatus {
  if (published === null) return 'draft';
  return sameDocument(draft, published) ? 'published' : 'changed';
}
