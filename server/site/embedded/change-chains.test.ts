import { describe, expect, it } from 'vitest';
import { blockersOf, chainsOf, touchedPaths } from '#server/site/embedded/change-chains';
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

  it('that are in the way are named by the change, or by what took it back later', () => {
    const blockers = (id: string, ...lines: Given[]) => {
      const chains = chainsOf(journal(lines));
      const chain = chains.find((each) => each.some(({ change }) => change.id === id))!;
      return blockersOf(chain, chains).map((change) => change.id);
    };
    const both = [{ id: 'c1' }, { id: 'c2' }, { id: 'u2', undoes: 'c2' }];
    expect(blockers('c1', ...both)).toEqual([]);
    expect(blockers('c1', ...both, { id: 'u3', undoes: 'u2' })).toEqual(['c2']);
    expect(blockers('u2', ...both, { id: 'u1', undoes: 'c1' })).toEqual(['u1']);
    expect(blockers('u2', ...both, { id: 'u1', undoes: 'c1' }, { id: 'u3', undoes: 'u1' })).toEqual([]);
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
