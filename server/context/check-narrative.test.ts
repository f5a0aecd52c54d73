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
    ['a number that was replaced on the named page', 'On "Prices" the stove costs 66,000 yen.'],
    ['a replaced number in another spelling', 'Der Preis auf „Prices“: 66.000 Yen (pag_price1).'],
    ['a replaced number in full-width digits', 'pag_price1: ６６，０００円です。'],
    ['an unknown id of a kind that the site has', 'Work goes on in pag_zzz999.'],
    ['a wrong address', 'The first is page "Rye" (pag_k7m2p9, /wheat, draft).'],
    ['the title of another thing', 'The page "Wheat" (pag_k7m2p9, /rye) has a hero.'],
    ['a wrong state', 'There is page "Rye" (pag_k7m2p9, /rye, published).'],
    ['a wrong deletion', 'Prices (pag_price1, deleted) was left out.'],
  ])('loses the sentence with %s, and nothing else', (_, wrong) => {
    expect(check(`- The tone is friendly. ${wrong}\n- ${wrong}\n- The user likes it.`)).toBe(
      '- The tone is friendly.\n- The user likes it.',
    );
  });

  it.each([
    '"Rye" (pag_k7m2p9, /rye, draft) waits for its picture.',
    '"Rye" (pag_k7m2p9) must not be published before Friday.',
    '"Rye" is not published yet; pag_price1 was deleted from the menu.',
    'The heading is now "Fresh bread" (pag_k7m2p9).',
    '"prices" went from 66,000 to 72,000 yen.',
    'The stove of the neighbour costs 66,000 yen.',
    'The annual budget is 48,500, see mill.example and /wheat.',
    'add_redirect1 and Café/bar and sec_h4t8w2 are names.',
    '見出しは短く。本文は長く。',
  ])('keeps what does not certainly contradict it: %s', (told) => {
    expect(check(told)).toBe(told);
  });
});

describe('what comes next', () => {
  const later = [pageChange({ action: 'publish', summary: 'Published "Rye"', at: 9 })];
  const next = (lines: string) =>
    checkedNarrative(`${CURRENT}One draft.\n\n### What Comes Next\n${lines}`, { ...facts, later });

  it('does not name a step about something that changed since', () => {
    expect(next('- Publish "Rye".\n- Write the prices.')).toBe(
      `${CURRENT}One draft.\n\nPlanned before these changes, which are newer:\n- Publish "Rye". (since then: Published "Rye")\n\n### What Comes Next\n- Write the prices.`,
    );
  });

  it('still names a step about a thing whose text alone changed', () => {
    const texts = [pageChange({ action: 'update', summary: 'Changed the heading of "Rye"', at: 9 })];
    const told = `### What Comes Next\n- Publish "Rye".`;
    expect(checkedNarrative(told, { ...facts, later: texts })).toBe(told);
  });

  const asks = (words: string) => ({ role: 'user' as const, parts: [text(words)] });
  const calls = (toolCallId: string) => ({
    role: 'assistant' as const,
    parts: [{ type: 'tool-call' as const, content: { toolCallId, toolName: 'get_content', input: {} } }],
  });
  const says = (words: string) => ({ role: 'assistant' as const, parts: [text(words)] });

  it('does not name a step that quotes an earlier request for which work was done', () => {
    const messages = storedMessages([
      asks('Eine Seite „Anfahrt“, Entwurf: Uferweg 7, Weilbach.'),
      calls('c1'),
      says('Soll sie ins Menü?'),
      asks('Lesen Sie bitte alles bisher Geschriebene.'),
      calls('c2'),
      says('Alles stimmt.'),
      asks('Lesen Sie bitte noch einmal alles.'),
    ]);
    const taken = '- Zuerst: „eine Seite ‚Anfahrt‘, Entwurf: …“\n- „Lesen Sie bitte alles bisher Geschriebene.“';
    const left = '- Als Nächstes „Lesen Sie bitte noch einmal alles“.';
    const told = `### What Comes Next\n${taken}\n${left}`;
    expect(checkedNarrative(told, { ...facts, messages, journal: [pageChange({ toolCallId: 'c1' })] })).toBe(
      `### What Comes Next\n${left}\n\n### Current State\nPlanned before; work was done for these requests, so check what is left:\n${taken}`,
    );
  });

  it('still names a step that quotes an earlier request which is open, or that says more', () => {
    const messages = storedMessages([
      asks('Replace the old phone number on all pages.'),
      calls('c1'),
      says('It stands on three pages. Replace all?'),
      asks('Yes, but first make the footer darker.'),
      calls('c2'),
      says('The footer is darker.'),
      asks('Tomorrow we begin with the pictures.'),
      says('Gladly.'),
      asks('Thank you.'),
    ]);
    const told = [
      '### What Comes Next',
      '- After the footer: "Replace the old phone number on all …"',
      '- "Yes, but first make the footer darker", of which the last section is missing.',
      '- "Tomorrow we begin with the pictures."',
    ].join('\n');
    expect(checkedNarrative(told, { ...facts, messages })).toBe(told);
  });

  it('is the newest request if no step is left', () => {
    expect(next('Publish pag_k7m2p9.')).toMatch(/### What Comes Next\nContinue with the newest request/);
  });
});
