import { applyOperations } from '#server/content/apply-operations';
import { diffDocuments, pathsOf, pathsOverlap } from '#server/content/diff-documents';
import { type EntryState, marksOf, NO_PLAN, type Plan, sameDocument } from '#server/content/embedded/entry-state';
import type { EntryDocument, EntryMark } from '#server/core/content';

/** An entry of WordPress in our terms. */
export interface RemoteState {
  readonly document: EntryDocument;
  readonly status: 'draft' | 'published' | 'planned' | 'trashed';
  /** Epoch milliseconds, whole seconds, of what is published or planned. */
  readonly date: number | null;
  readonly marks?: readonly EntryMark[] | undefined;
}

/** Two clocks are rarely at the same second. */
const SAME_TIME_MS = 60_000;

/** Tells whether two times are the same, up to the difference of two clocks or of rounding to seconds. */
export function isSameTime(ours: number | null, theirs: number | null): boolean {
  return ours === null || theirs === null ? ours === theirs : Math.abs(ours - theirs) < SAME_TIME_MS;
}

function timeOf(ours: number | null | undefined, theirs: number): number {
  return ours !== null && ours !== undefined && isSameTime(ours, theirs) ? ours : theirs;
}

/**
 * A draft that only the mirror has, on top of what was changed in WordPress below it: what both changed stays as the
 * draft has it.
 */
function rebasedDraft(draft: EntryDocument, base: EntryDocument, theirs: EntryDocument): EntryDocument {
  if (sameDocument(draft, base)) return theirs;
  const ours = pathsOf(diffDocuments(base, draft));
  let merged = draft;
  for (const operation of diffDocuments(base, theirs)) {
    if (pathsOverlap(ours, pathsOf([operation]))) continue;
    try {
      merged = applyOperations(merged, [operation]).document;
    } catch {
      // Nothing that our own rules would refuse comes into a draft by itself; what is published shows it.
    }
  }
  return merged;
}

/** State of the mirror after WordPress changed from `base` to `remote`. */
export function absorbed(
  state: EntryState | null,
  base: EntryDocument | null,
  remote: RemoteState,
  now: number,
): EntryState {
  const { document, status, date } = remote;
  if (status === 'trashed') {
    const before = state ?? { draft: document, published: null, publishedAt: null, deletedAt: null };
    return { ...before, ...NO_PLAN, deletedAt: before.deletedAt ?? now };
  }
  const draft = state === null || base === null ? document : rebasedDraft(state.draft, base, document);
  return {
    draft,
    published: status === 'published' ? document : null,
    publishedAt: status === 'published' ? timeOf(state?.publishedAt, date ?? now) : null,
    ...planOf(state, base, remote),
    deletedAt: null,
    ...marksOf(remote.marks),
  };
}

/** The plan for a published entry, which only the mirror knows. */
function planOf(state: EntryState | null, base: EntryDocument | null, { document, status, date }: RemoteState): Plan {
  if (status === 'planned' && date !== null) return { publishAt: timeOf(state?.publishAt, date), planned: document };
  if (status !== 'published' || state === null || state.published === null || state.publishAt === null) return NO_PLAN;
  const planned = state.planned ?? state.draft;
  return { publishAt: state.publishAt, planned: base === null ? planned : rebasedDraft(planned, base, document) };
}
