import type { ContentTransaction } from '#server/content/embedded/content-store';
import type { ChangeSet } from '#server/core/content';
import { createShortId } from '#server/core/ids';

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

/** A change that stands, with an id of its own. */
export async function newChange(
  tx: ContentTransaction,
  change: Omit<ChangeSet, 'id' | 'undoneBy'>,
): Promise<ChangeSet> {
  const id = await freeId('chg', async (candidate) => (await tx.journalEntry(candidate)) !== null);
  return { id, ...change, undoneBy: null };
}
