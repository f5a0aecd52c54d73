import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#server/core/ledger';
import { ledgerLines } from '#server/context/ledger-lines';

const entry = (at: number, changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind: 'page',
  id: 'pag_1',
  slug: 'pricing',
  title: 'Pricing',
  action: 'update',
  summary: '',
  undone: false,
  at,
  ...changes,
});

describe('ledgerLines', () => {
  it('tells what was done to one thing in one line, repetitions counted', () => {
    const lines = ledgerLines([
      entry(5, { action: 'publish' }),
      entry(1, { action: 'create', title: 'Prices', slug: 'prices' }),
      entry(2),
      entry(3),
      entry(4),
    ]);
    expect(lines).toEqual(['- page "Pricing" (pag_1, /pricing): created, updated 3 times, published']);
  });

  it('puts what was touched last at the end and leaves out what was undone', () => {
    const lines = ledgerLines([
      entry(1, { id: 'a', action: 'create' }),
      entry(2, { id: 'b', action: 'create', undone: true }),
      entry(3, { id: 'settings', kind: 'settings', title: 'Site settings', slug: null }),
      entry(4, { id: 'a', action: 'delete' }),
    ]);
    expect(lines).toEqual([
      '- settings "Site settings" (settings): updated',
      '- page "Pricing" (a, /pricing): created, deleted',
    ]);
  });

  it('names every thing that still stands exactly once, in any order of entries', () => {
    const entries = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), at: fc.nat(9), undone: fc.boolean() }));
    fc.assert(
      fc.property(entries, (changes) => {
        const lines = ledgerLines(changes.map(({ at, ...rest }) => entry(at, rest)));
        const standing = new Set(changes.filter(({ undone }) => !undone).map(({ id }) => id));
        expect(lines).toHaveLength(standing.size);
        for (const id of standing) expect(lines.filter((line) => line.includes(`(${id}, `))).toHaveLength(1);
      }),
    );
  });
});
