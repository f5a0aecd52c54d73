import { z } from 'zod';
import type { ContentTransaction } from '#server/content/embedded/content-store';
import { canonicalDocument } from '#server/content/entry-document';
import {
  type Entry,
  type EntryDocument,
  entryDocumentSchema,
  type EntryMark,
  entryMarks,
  type EntryStatus,
  sameDocument,
} from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import { createShortId } from '#server/core/ids';
import { type JsonValue, toJson } from '#server/core/json';

/** Parts of an entry that a change can alter: the `before` and `after` of its journal. */
export type EntryState = Pick<
  Entry,
  'draft' | 'published' | 'publishedAt' | 'publishAt' | 'planned' | 'deletedAt' | 'marks'
>;

const entryStateSchema = z.object({
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: z.number().nullable(),
  // Journals older than scheduling have none.
  publishAt: z.number().nullable().default(null),
  planned: entryDocumentSchema.nullable().default(null),
  deletedAt: z.number().nullable(),
  marks: z.array(z.enum(entryMarks)).optional(),
});

/** The state of an entry as the journal keeps it. */
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

/** Marks as a state has them: left out where there are none. */
export function marksOf(marks: readonly EntryMark[] = []): Pick<EntryState, 'marks'> {
  return marks.length === 0 ? {} : { marks: [...marks] };
}

/** The marks of what everybody may read from now on. */
export function marksWhenPublished({ marks = [] }: EntryState): readonly EntryMark[] {
  return marks.filter((mark) => mark !== 'private' && mark !== 'pending');
}

/** The state as plain JSON. */
export function stateToJson(state: EntryState): JsonValue {
  return toJson(stateOf(state));
}

/** A state from the journal; null where the entry did not exist yet. */
export function stateFromJson(value: JsonValue): EntryState | null {
  if (value === null) return null;
  const state = entryStateSchema.parse(value);
  const canonical = (document: EntryDocument | null) => (document === null ? null : canonicalDocument(document));
  const draft = canonicalDocument(state.draft);
  // Plans of journals from before they kept a document are about the draft of then.
  const planned = state.publishAt === null ? null : (canonical(state.planned) ?? draft);
  const { marks, ...rest } = state;
  return { ...rest, draft, published: canonical(state.published), planned, ...marksOf(marks) };
}

/** Plan to publish an entry: time and content. */
export type PublicationPlan = Pick<EntryState, 'publishAt' | 'planned'>;

export const NO_PLAN: PublicationPlan = { publishAt: null, planned: null };

/** A plan that is brought back: only what still lies ahead is one, the past must not publish at once. */
export function stillAhead(state: PublicationPlan | null, now: number): PublicationPlan {
  if (state === null || state.publishAt === null || state.publishAt <= now) return NO_PLAN;
  const { publishAt, planned } = state;
  return { publishAt, planned };
}

export function samePlan(a: PublicationPlan, b: PublicationPlan): boolean {
  return a.publishAt === b.publishAt && sameDocument(a.planned, b.planned);
}

/** Status of an entry, from its draft and its published version. */
export function statusOf({ draft, published }: Pick<Entry, 'draft' | 'published'>): EntryStatus {
  if (published === null) return 'draft';
  return sameDocument(draft, published) ? 'published' : 'changed';
}

/** A short id that the store does not use yet: short ids are few enough to meet twice in a long life. */
export async function freeId(
  prefix: 'pag' | 'pos' | 'chg' | 'ast',
  isTaken: (id: string) => Promise<boolean>,
): Promise<string> {
  for (;;) {
    const id = createShortId(prefix);
    if (!(await isTaken(id))) return id;
  }
}

/** Creates a change that is in effect, with a new id. */
export async function newChange(
  tx: ContentTransaction,
  change: Omit<ChangeSet, 'id' | 'undoneBy'>,
): Promise<ChangeSet> {
  const id = await freeId('chg', async (candidate) => (await tx.journalEntry(candidate)) !== null);
  return { id, ...change, undoneBy: null };
}
