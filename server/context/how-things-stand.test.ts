import { describe, expect, it } from 'vitest';
import { thingLines, touchedThings } from '#server/context/compose-summary';
import { countTokens } from '#server/context/tokens';
import type { Thing } from '#server/core/compactions';
import { pageChange } from '#tests/support/summary-facts';

const page = (n: number, changes: Partial<Thing> = {}): Thing => ({
  kind: 'page',
  id: `pag_${n}`,
  title: `Page ${n}`,
  path: `/page-${n}`,
  state: 'draft',
  parts: [{ id: `sec_${n}`, type: 'hero' }],
  ...changes,
});
const count = (text: string) => countTokens(text);

it('lists each thing that was touched once, by its newest change and under its newest name', () => {
  const journal = [
    pageChange({ id: 'pag_1', title: 'Rye', at: 1 }),
    pageChange({ id: 'pag_2', title: 'Wheat', at: 2 }),
    pageChange({ id: 'pag_1', title: 'Roggen', at: 3 }),
  ];
  expect(touchedThings(journal).map(({ id, title }) => `${id} ${title}`)).toEqual(['pag_2 Wheat', 'pag_1 Roggen']);
});

describe('the lines about how things stand', () => {
  it('have address, id, state and sections, or what a thing holds in words', () => {
    const menu: Thing = {
      kind: 'menu',
      id: 'menu',
      title: 'Menu',
      path: null,
      state: null,
      detail: 'Start /, Preise /preise',
    };
    const things = [page(1), page(2, { state: 'deleted', parts: [] }), menu, page(3, { isLastKnown: true, parts: [] })];
    expect(thingLines(things, 500, count)).toEqual([
      '- page "Page 1" (pag_1, /page-1, draft): hero sec_1',
      '- page "Page 2" (pag_2, deleted)',
      '- menu: Start /, Preise /preise',
      '- page "Page 3" (pag_3, /page-3, draft, as last known)',
    ]);
  });

  it('are the newest that fit, those of what is gone first to go; the others are counted', () => {
    const things = [...Array.from({ length: 40 }, (_, n) => page(n)), page(40, { state: 'deleted' }), page(41)];
    const lines = thingLines(things, 300, count);
    expect(lines[0]).toMatch(/^- earlier: \d+ pages; their ids by search_history$/);
    expect(lines.at(-1)).toContain('pag_41');
    expect(lines.join('\n')).not.toContain('pag_40');
    expect(count(lines.join('\n'))).toBeLessThanOrEqual(300);
    expect(lines.slice(1).map((line) => Number(/pag_(\d+)/.exec(line)?.[1]))).toEqual([
      ...Array.from({ length: lines.length - 2 }, (_, n) => 40 - (lines.length - 2) + n),
      41,
    ]);
  });
});
