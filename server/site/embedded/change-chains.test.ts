import { describe, expect, it } from 'vitest';
import { blockersOf, chainsOf, isInEffectAt, undoneSubject, touchedPaths } from '#server/site/embedded/change-chains';
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

function blockers(lines: readonly Given[], id: string): string[] {
  const chains = chainsOf(journal(lines));
  const chain = chains.find((each) => each.some(({ change }) => change.id === id))!;
  return blockersOf(chain, chains).map((change) => change.id);
}

describe('chains of changes', () => {
  it('know the standing changes, and the effect of undoing the newest', () => {
    const [one] = chainsOf(journal([{ id: 'c1' }, { id: 'u1', undoes: 'c1' }, { id: 'u2', undoes: 'u1' }]));
    expect(one!.map(({ change }) => change.id)).toEqual(['c1', 'u1', 'u2']);
    expect([0, 1, 2].map((index) => isInEffectAt(one!, index))).toEqual([true, false, true]);
    expect(undoneSubject(one!)).toMatchObject({ isUndo: false, change: { id: 'c1' } });
    const [two] = chainsOf(journal([{ id: 'c1' }, { id: 'u1', undoes: 'c1' }]));
    expect(undoneSubject(two!)).toMatchObject({ isUndo: true, change: { id: 'c1' } });
  });

  it('are found in journals that only record undone changes', () => {
    const chains = chainsOf(journal([{ id: 'c1', undoneBy: 'u1' }, { id: 'c2' }, { id: 'u1' }]));
    expect(chains.map((chain) => chain.map(({ change }) => change.id))).toEqual([['c1', 'u1'], ['c2']]);
  });

  it.each<[string, Given[], string, string[]]>([
    ['a later change of the same field', [{ id: 'c1' }, { id: 'c2' }], 'c1', ['c2']],
    ['not one of another field', [{ id: 'c1' }, { id: 'c2', field: 'excerpt' }], 'c1', []],
    ['not one that was undone', [{ id: 'c1' }, { id: 'c2' }, { id: 'u2', undoes: 'c2' }], 'c1', []],
    [
      'one that was brought back',
      [{ id: 'c1' }, { id: 'c2' }, { id: 'u2', undoes: 'c2' }, { id: 'u3', undoes: 'u2' }],
      'c1',
      ['c2'],
    ],
    [
      'an undo of what was below',
      [{ id: 'c1' }, { id: 'c2' }, { id: 'u2', undoes: 'c2' }, { id: 'u1', undoes: 'c1' }],
      'u2',
      ['u1'],
    ],
    [
      'not one that was undone and done again',
      [{ id: 'c1' }, { id: 'c2' }, { id: 'u2', undoes: 'c2' }, { id: 'u1', undoes: 'c1' }, { id: 'u3', undoes: 'u1' }],
      'u2',
      [],
    ],
  ])('are in the way: %s', (_, lines, id, expected) => expect(blockers(lines, id)).toEqual(expected));

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
