import { describe, expect, it } from 'vitest';
import { chainsOf, touchedPaths } from '#server/site/embedded/change-chains';
import type { JournalLine } from '#server/site/embedded/content-store';
import type { ChangeSet, ChangeTarget } from '#server/core/site/changes';

interface Given {
  readonly id: string;
  readonly undoes?: string;
  readonly field?: 'title' | 'excerpt';
  readonly undoneBy?: string;
}

function journal(lines: readonly Given[]): JournalLine[] {
  return lines.map(({ id, undoes = null, field = 'title', undoneBy = null }, seq) => ({
    change: {
      id,
      targetType: 'page',
      targetId: 'pag_1',
      slug: 'a',
      title: 'A',
      revision: seq + 1,
      action: id.startsWith('c') ? 'update' : 'undo',
      operations: [{ op: 'set', field, value: 'x' }],
      inverse: [],
      summary: id,
      summaryMessage: null,
      origin: { actor: 'api' },
      undoneBy,
      createdAt: 1,
    } satisfies ChangeSet,
    seq,
    undoes,
    existence: false,
    publication: false,
    plan: false,
    before: null,
    after: null,
  }));
}

describe('chains of changes', () => {
  it('are found in journals that only record undone changes', () => {
    const chains = chainsOf(journal([{ id: 'c1', undoneBy: 'u1' }, { id: 'c2' }, { id: 'u1' }]));
    expect(chains.map((chain) => chain.map(({ change }) => change.id))).toEqual([['c1', 'u1'], ['c2']]);
  });

  it('of standing instructions touch single rules and words', () => {
    const line = (before: object, after: object) => {
      const [given] = journal([{ id: 'c1' }]);
      const targetType: ChangeTarget = 'standing-instructions';
      return { ...given!, change: { ...given!.change, targetType }, before: before as never, after: after as never };
    };
    const glossary = (meaning: string) => [{ term: 'Kiln', meaning }];
    const before = { voice: '', rules: ['A', 'B'], glossary: glossary('oven') };
    expect(touchedPaths([line(before, { ...before, rules: ['A', 'C'] })])).toEqual(['rules:b', 'rules:c']);
    expect(touchedPaths([line(before, { ...before, glossary: glossary('hot') })])).toEqual([
      'glossary:kiln',
      'glossary:kiln',
    ]);
    expect(touchedPaths([line(before, { ...before, voice: 'Plain.' })])).toEqual(['voice']);
  });
});
