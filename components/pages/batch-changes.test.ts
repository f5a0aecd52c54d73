import { describe, expect, it } from 'vitest';
import { type BatchSearch, CHANGES_PER_PAGE, withLateChanges } from '#components/pages/batch-changes.ts';
import type { ChangeSet } from '#server/core/site/changes';

/** A change of the user `usr_1` that publishes an entry. */
function publication(n: number, targetId: string, changes: Partial<ChangeSet> = {}): ChangeSet {
  const origin = { actor: 'user', userId: 'usr_1' } as const;
  const texts = { slug: 'a', title: 'A', summary: 'Published', summaryMessage: null };
  const what = { targetType: 'page', targetId, action: 'publish', operations: [], inverse: [] } as const;
  return { id: `chg_${n}`, ...what, ...texts, revision: n, origin, undoneBy: null, createdAt: n, ...changes };
}

/** A search, from the change `chg_0` on, in a journal that is read in pages. */
function searchIn(journal: readonly ChangeSet[], changes: Partial<BatchSearch> = {}): BatchSearch {
  return {
    request: { action: 'publish' },
    userId: 'usr_1',
    after: 'chg_0',
    readAfter: async (after) => {
      const from = journal.findIndex(({ id }) => id === after) + 1;
      return journal.slice(from, from + CHANGES_PER_PAGE);
    },
    ...changes,
  };
}

const idsOf = (changes: readonly ChangeSet[]) => changes.map(({ id }) => id);

describe('the undo of a batch', () => {
  it('takes back a write whose outcome was unknown when the batch ended', async () => {
    const [first, late, last] = [publication(1, 'pag_1'), publication(2, 'pag_2'), publication(3, 'pag_3')];
    const known = { changes: [first, last], uncertain: ['pag_1', 'pag_2', 'pag_4'] };
    const { changes, uncertain } = await withLateChanges(known, searchIn([first, late, last]));
    expect(idsOf(changes)).toEqual(['chg_1', 'chg_2', 'chg_3']);
    expect(uncertain).toEqual(['pag_4']);
  });

  it('finds a late write behind a page of changes by others', async () => {
    const others = Array.from({ length: CHANGES_PER_PAGE }, (_, n) => publication(n + 1, 'pag_9'));
    const late = publication(CHANGES_PER_PAGE + 1, 'pag_2');
    const { changes } = await withLateChanges({ changes: [], uncertain: ['pag_2'] }, searchIn([...others, late]));
    expect(idsOf(changes)).toEqual([late.id]);
  });

  it('leaves what others, or other actions, did to an entry of unknown outcome', async () => {
    const journal = [
      publication(1, 'pag_2', { origin: { actor: 'user', userId: 'usr_2' } }),
      publication(2, 'pag_2', { action: 'update' }),
    ];
    const known = { changes: [], uncertain: ['pag_2'] };
    expect(await withLateChanges(known, searchIn(journal))).toEqual(known);
  });

  it('reads no journal where every outcome is known', async () => {
    const known = { changes: [publication(1, 'pag_1')], uncertain: [] };
    const search = searchIn([], { readAfter: () => Promise.reject(new Error('It was read.')) });
    expect(await withLateChanges(known, search)).toEqual(known);
  });
});
