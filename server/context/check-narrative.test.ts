import { describe, expect, it } from 'vitest';
import { checkedNarrative, type KnownFacts } from '#server/context/check-narrative';
import type { Thing } from '#server/core/conversation/compactions';
import { storedMessages, text } from '#tests/support/arbitrary-history';
import { pageChange } from '#tests/support/summary-facts';

const rye: Thing = { kind: 'page', id: 'pag_k7m2p9', title: 'Rye', path: '/rye', state: 'draft' };
const prices: Thing = { kind: 'page', id: 'pag_price1', title: 'Prices', path: '/prices', state: 'published' };
const priceChange = pageChange({
  id: 'pag_price1',
  title: 'Prices',
  action: 'update',
  summary: 'Changed the price list',
  values: [{ field: 'text', before: 'The stove costs 66,000 yen', after: 'The stove costs 72,000 yen' }],
});
const facts: KnownFacts = {
  things: [rye, prices],
  journal: [pageChange(), priceChange],
  messages: storedMessages([
    {
      role: 'user',
      parts: [
        text('The stove cost 66,000 and costs 72,000 yen now. Ask Marit, room 204. See https://example.org/oven.'),
      ],
    },
  ]),
  standing: '',
  later: [],
};
const CURRENT = '### Current State\n';
const check = (told: string, changes: Partial<KnownFacts> = {}) =>
  checkedNarrative(`${CURRENT}${told}`, { ...facts, ...changes }).replace(CURRENT, '');

describe('a narrative that contradicts the record', () => {
  it.each([
    ['a number that was replaced', 'The stove costs 66,000 yen.'],
    ['a replaced number in another spelling', 'Der Preis auf „Prices“: 66.000 Yen.'],
    ['a number that nobody mentioned', 'The annual budget is 48,500.'],
    ['an unknown id', 'Work goes on in pag_zzz999.'],
    ['an unknown address', 'The page is at /wheat.'],
    ['an address of the web that nobody mentioned', 'See https://example.com/oven.'],
    ['the id with the title of another thing', 'The page "Wheat" (pag_k7m2p9) has a hero.'],
    ['a wrong state', '"Rye" is published.'],
    ['a wrong state in brackets', '「Rye」(pag_k7m2p9, /rye, published) を作りました。'],
    ['a wrong deletion', 'pag_price1 was deleted.'],
  ])('loses the sentence with %s, and nothing else', (_, wrong) => {
    expect(check(`- The tone is friendly. ${wrong}\n- ${wrong}\n- The user likes it.`)).toBe(
      '- The tone is friendly.\n- The user likes it.',
    );
  });

  it.each([
    '"Rye" (pag_k7m2p9, /rye, draft) waits for its picture.',
    'The stove costs 72,000 yen, see https://example.org/oven.',
    'Deleted the FAQ section of pag_price1.',
    'Marit in room 204 decides on 5 of the 12 texts and/or the menu.',
    'A "quick win" was 66,000 somewhere else entirely.',
    '見出しは短く。本文は長く。',
  ])('keeps what does not contradict it: %s', (told) => {
    expect(check(told)).toBe(told);
  });
});

describe('what comes next', () => {
  const later = [pageChange({ action: 'publish', summary: 'Published "Rye"', at: 9 })];
  const next = (lines: string) =>
    checkedNarrative(`${CURRENT}One draft.\n\n### What Comes Next\n${lines}`, { ...facts, later });

  it('does not name a step about something that changed since; that stands under the current state', () => {
    expect(next('- Publish "Rye".\n- Write the prices.')).toBe(
      `${CURRENT}One draft.\n\nPlanned before these changes, which are newer:\n- Publish "Rye". (since then: Published "Rye")\n\n### What Comes Next\n- Write the prices.`,
    );
  });

  it('is the newest request if no step is left', () => {
    expect(next('Publish pag_k7m2p9.')).toMatch(/### What Comes Next\nContinue with the newest request/);
  });
});
