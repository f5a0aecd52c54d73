import { quotedTitle } from '#server/content/change-summary';
import { pathsOf } from '#server/content/diff-documents';
import type { Entry, EntryDocument } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import { ConflictError } from '#server/core/errors';
import { type ChangedValue, currentValue, type ExpectedValue } from '#server/core/expected-values';
import { sameJson, toJson } from '#server/core/json';

/** Changes that are looked at to find who wrote a value. */
const MAX_CHANGES = 50;

/** Tells whether a change wrote to a place. */
export function touches({ operations }: ChangeSet, { sectionId, field }: Omit<ExpectedValue, 'value'>): boolean {
  const path = sectionId === null ? `field:${field}` : `section:${sectionId}`;
  const exact = field === null || sectionId === null ? path : `${path}:${field}`;
  return pathsOf(operations).some(
    (touched) => touched === path || touched === exact || touched.startsWith(`${exact}:`),
  );
}

/**
 * Refuses a write where a value that it replaces is another one by now: what others wrote meanwhile is not lost. A
 * value that already is what the write makes of it is no hindrance.
 * @param after the document as the write leaves it
 * @param recent reads the newest changes of the entry, newest first
 * @throws ConflictError whose details are of changedValuesSchema
 */
export async function requireExpected(
  entry: Pick<Entry, 'id' | 'draft'>,
  after: EntryDocument,
  expected: readonly ExpectedValue[],
  recent: (limit: number) => Promise<readonly ChangeSet[]>,
): Promise<void> {
  const differing = expected.filter((each) => {
    const now = currentValue(entry.draft, each);
    return !sameJson(now, each.value) && !sameJson(now, currentValue(after, each));
  });
  if (differing.length === 0) return;
  const journal = await recent(MAX_CHANGES);
  const changed = differing.map((each): ChangedValue => {
    const origin = journal.find((change) => touches(change, each))?.origin;
    const by = origin && { actor: origin.actor, ...(origin.userName !== undefined && { userName: origin.userName }) };
    return { ...each, value: currentValue(entry.draft, each), by: by ?? null };
  });
  const names = changed.map(({ sectionId, field }) => [sectionId, field].filter(Boolean).join(' › ')).join(', ');
  throw new ConflictError(
    `Not saved: somebody else has changed ${names} of ${quotedTitle(entry.draft.title)} meanwhile. Look at what is there now, and save again.`,
    { details: toJson({ changed }) },
  );
}
