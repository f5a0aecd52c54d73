import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#server/core/compactions';
import { ledgerLines, ledgerTokens } from '#server/context/ledger';
import { countTokens } from '#server/context/tokens';

const NOBODY = () => new Set<string>();
const PLENTY = 100_000;

function change(id: string, action: string, more: Partial<LedgerEntry> = {}): LedgerEntry {
  const named = { kind: 'page', slug: `slug-${id}`, title: `Title ${id}`, summary: 'Something', undone: false, at: 1 };
  return { ...named, id, action, ...more };
}

const all = (entries: readonly LedgerEntry[]) => ledgerLines(entries, { tokens: PLENTY, referredWords: NOBODY });

describe('ledgerLines', () => {
  it('is empty where nothing was done, whatever the budget, and reads the kept messages only where it must fold', () => {
    const never = () => {
      throw new Error('Not needed.');
    };
    for (const tokens of [-50, 0, 10]) expect(ledgerLines([], { tokens, referredWords: never })).toEqual([]);
    expect(ledgerLines([change('pag_1', 'create')], { tokens: PLENTY, referredWords: never })).toHaveLength(1);
    expect(() => ledgerLines([change('pag_1', 'create')], { tokens: 5, referredWords: never })).toThrow('Not needed.');
  });

  it('has one line for each thing with its names, state, changes in order and sections', () => {
    const parts = [
      { id: 'sec_h4t8w2', type: 'hero' },
      { id: 'sec_x9z3c5', type: 'faq' },
    ];
    const now = { slug: 'pricing', title: 'Pricing', state: 'changed', parts };
    const lines = all([
      change('pag_k7m2p9', 'create', now),
      change('pag_k7m2p9', 'update', now),
      change('pag_k7m2p9', 'update', now),
      change('pag_k7m2p9', 'publish', now),
    ]);
    expect(lines).toEqual([
      '- page "Pricing" (pag_k7m2p9, /pricing, changed): created, updated 2 times, published; holds hero sec_h4t8w2, faq sec_x9z3c5',
    ]);
  });

  it('puts the thing that was changed last at the end, also among changes of one millisecond', () => {
    const lines = all([change('a', 'create'), change('b', 'create'), change('a', 'publish')]);
    expect(lines.map((line) => line.slice(0, 15))).toEqual(['- page "Title b', '- page "Title a']);
  });

  it('leaves out what was undone, and says of what is left that it is there or gone', () => {
    const lines = all([
      change('never', 'update', { undone: true }),
      change('made', 'create', { undone: true, state: 'deleted' }),
      change('made', 'undo', { state: 'deleted' }),
      change('kept', 'create', { state: 'draft' }),
      change('kept', 'update', { undone: true, state: 'draft' }),
      change('kept', 'undo', { state: 'draft' }),
    ]);
    expect(lines).toEqual([
      '- page "Title made" (made, /slug-made): gone by now',
      '- page "Title kept" (kept, /slug-kept, draft): created',
    ]);
  });

  it('tells the newest change of what has no name of its own', () => {
    const settings = { kind: 'settings', slug: null, title: 'Site settings' };
    const lines = all([
      change('settings', 'update', { ...settings, summary: 'Changed the site name' }),
      change('settings', 'update', { ...settings, summary: 'Changed the tagline' }),
    ]);
    expect(lines).toEqual(['- settings: updated 2 times; newest: Changed the tagline']);
  });

  it('folds the oldest into counts when they do not fit, deleted things before all', () => {
    const entries = [
      change('post1', 'create', { kind: 'post', at: 0 }),
      ...Array.from({ length: 20 }, (_, n) => change(`old${n}`, 'create', { at: n })),
      ...Array.from({ length: 10 }, (_, n) => change(`new${n}`, 'create', { at: 30 + n })),
      change('gone', 'delete', { at: 50 }),
    ];
    const lines = ledgerLines(entries, { tokens: 300, referredWords: NOBODY });
    expect(lines[0]).toMatch(/^- earlier: 1 post, \d+ pages finished; their ids by search_history$/);
    expect(lines.at(-1)).toContain('new9');
    expect(lines.join()).not.toContain('gone');
    expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(300);
  });

  it('never folds what is still referred to by id, slug or section', () => {
    const entries = Array.from({ length: 60 }, (_, n) =>
      change(`pag_${n}`, 'create', { at: n, parts: [{ id: `sec_${n}`, type: 'text' }] }),
    );
    const referredWords = () => new Set(['pag_3', 'slug-pag_5', 'sec_7']);
    const lines = ledgerLines(entries, { tokens: 400, referredWords }).join('\n');
    for (const id of ['pag_3,', 'pag_5,', 'pag_7,', 'pag_59,']) expect(lines).toContain(id);
    expect(lines).not.toContain('pag_4,');
  });

  it('keeps at least the names of all that is recent, and whole lines of the newest', () => {
    const parts = Array.from({ length: 8 }, (_, n) => ({ id: `sec_${n}`, type: 'text' }));
    const entries = Array.from({ length: 60 }, (_, n) => change(`pag_${n}x`, 'create', { at: n, parts }));
    const lines = ledgerLines(entries, { tokens: 1_000, referredWords: NOBODY, recentFrom: 30 });
    for (let n = 30; n < 60; n += 1) expect(lines.filter((line) => line.includes(`pag_${n}x`))).toHaveLength(1);
    expect(lines[1]).toBe('- page pag_30x, /slug-pag_30x');
    expect(lines.at(-1)).toContain('holds text sec_0');
    expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(1_000);
  });

  it('holds every thing while all fit, and never more than its tokens', () => {
    const entry = fc.record({
      id: fc.integer({ min: 0, max: 40 }).map((n) => `pag_${n}x`),
      action: fc.constantFrom('create', 'update', 'publish', 'delete'),
      at: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 80 }),
        fc.integer({ min: 60, max: 3_000 }),
        fc.nat(12),
        (drafts, tokens, recentFrom) => {
          const entries = drafts.map(({ id, action, at }) => change(id, action, { at }));
          const lines = ledgerLines(entries, { tokens, referredWords: () => new Set(['pag_7x']), recentFrom });
          if (ledgerTokens(entries) <= tokens) {
            for (const { id } of entries) expect(lines.filter((line) => line.includes(`(${id},`))).toHaveLength(1);
          } else expect(lines[0]).toMatch(/^- earlier: /);
          expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(tokens);
        },
      ),
      { numRuns: 300 },
    );
  });
});
