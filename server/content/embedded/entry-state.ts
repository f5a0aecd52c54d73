import { z } from 'zod';
import { canonicalDocument } from '#server/content/entry-document';
import type { Entry, EntryDocument, EntryStatus } from '#server/core/content';
import { entryDocumentSchema } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** What of an entry a change can alter: the `before` and `after` of its journal. */
export type EntryState = Pick<Entry, 'draft' | 'published' | 'publishedAt' | 'publishAt' | 'deletedAt'>;

const entryStateSchema = z.object({
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: z.number().nullable(),
  // Journals older than scheduling have none.
  publishAt: z.number().nullable().default(null),
  deletedAt: z.number().nullable(),
});

/** The state of an entry as the journal keeps it. */
export function stateOf({ draft, published, publishedAt, publishAt, deletedAt }: EntryState): EntryState {
  return { draft, published, publishedAt, publishAt, deletedAt };
}

/** The state as plain JSON. */
export function stateToJson(state: EntryState): JsonValue {
  return JSON.parse(JSON.stringify(stateOf(state))) as JsonValue;
}

/** A state from the journal; null where the entry did not exist yet. */
export function stateFromJson(value: JsonValue): EntryState | null {
  if (value === null) return null;
  const state = entryStateSchema.parse(value);
  return {
    ...state,
    draft: canonicalDocument(state.draft),
    published: state.published === null ? null : canonicalDocument(state.published),
  };
}

/** A time of publication that is brought back: only what still lies ahead is a plan, the past must not publish at once. */
export function stillAhead(publishAt: number | null, now: number): number | null {
  return publishAt !== null && publishAt > now ? publishAt : null;
}

/** Canonical documents are equal when their texts are. */
export function sameDocument(a: EntryDocument | null, b: EntryDocument | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether visitors see an entry, and see its newest state. */
export function statusOf({ draft, published }: Pick<Entry, 'draft' | 'published'>): EntryStatus {
  if (published === null) return 'draft';
  return sameDocument(draft, published) ? 'published' : 'changed';
}
