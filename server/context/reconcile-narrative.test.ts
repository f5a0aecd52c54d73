import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecordFacts, reconcileNarrative } from '#server/context/reconcile-narrative';
import type { Thing } from '#server/core/conversation/compactions';
import { RECORD_HEADING } from '#server/context/compose-summary';
import { text } from '#tests/support/arbitrary-history';
import { counted, engineWith, requestFor, siteWith, summarizerOf } from '#tests/support/small-engine';
import { pageChange } from '#tests/support/summary-facts';
import { TestSession } from '#tests/support/test-session';

const things: Thing[] = [
  {
    kind: 'page',
    id: 'pag_prices',
    title: 'Prices',
    path: '/prices',
    state: 'published',
    parts: [{ id: 'sec_hero01', type: 'hero' }],
  },
  { kind: 'page', id: 'pag_team01', title: 'Team', path: '/team', state: 'draft' },
];
const change = (values: object) => pageChange({ id: 'pag_prices', title: 'Prices', slug: 'prices', ...values });
const price = (before: string, after: string) => ({
  action: 'update',
  summary: 'Changed the hero section of "Prices"',
  values: [{ field: 'text', before, after }],
});
const facts: RecordFacts = {
  things,
  journal: [
    change({ title: 'Tariffs', slug: 'tariffs', at: 1 }),
    change({ ...price('A bag costs 66,000 yen.', 'A bag costs 72,000 yen.'), at: 2 }),
    change({ ...price('A bag costs 72,000 yen.', 'A bag costs 72,500 yen.'), at: 3 }),
    change({ ...price('A bag costs 72,500 yen.', 'A bag costs 80,000 yen.'), at: 4, undone: true }),
    pageChange({ id: 'pag_team01', title: 'Team', slug: 'team', at: 5 }),
  ],
  later: [],
  messages: [],
};
const told = (sentence: string, section = 'Current State') =>
  reconcileNarrative(`### ${section}\n- The day was long. ${sentence}`, facts);
const KEPT = '### Current State\n- The day was long.';

describe('what contradicts the record', () => {
  it.each([
    ['a value that was replaced', 'A bag costs 66,000 yen on "Prices".'],
    ['a value that was undone', 'On "Prices" a bag is 80,000.'],
    ['a state that the page does not have', '"Prices" is still a draft.'],
    ['the state of a page by its id', 'pag_team01 was published.'],
    ['an id that nobody ever saw', 'The hero is sec_zzzz99.'],
  ])('is left out: %s', (_, sentence) => {
    expect(told(sentence)).toBe(KEPT);
  });

  it('is corrected where code knows the right name or address', () => {
    expect(told('"Tariffs" is at /tariffs now, with „Tariffs“ in the menu.')).toBe(
      `${KEPT} "Prices" is at /prices now, with „Prices“ in the menu.`,
    );
  });

  it('is left out of a line in a script without spaces, too', () => {
    expect(told('「Prices」は66,000円です。「Team」は下書きです。')).toBe(`${KEPT} 「Team」は下書きです。`);
  });
});

describe('what agrees with the record, or is nothing of it', () => {
  it.each([
    'A bag costs 72,500 yen, it was 66,000 before.',
    '"Prices" was a draft and is published.',
    'The hero of "Prices" is sec_hero01.',
    '66 people came to the draft of the meeting.',
    'The menu has /tariffs/old and sub/tariffs.',
  ])('stays: %s', (sentence) => {
    expect(told(sentence)).toBe(`${KEPT} ${sentence}`);
  });

  it('stays in the words of the user and in the task', () => {
    expect(told('"Prices" is a draft.', 'User Preferences')).toContain('is a draft');
  });

  it('stays whole, whatever was written, where code knows nothing', () => {
    const nothing = { things: [], journal: [], later: [], messages: [] };
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40, mode: 'sentences' }), (words) => {
        expect(reconcileNarrative(`### Current State\n${words}`, nothing)).toBe(`### Current State\n${words}`);
      }),
    );
  });
});

it('lets none of five contradictions of a summarizer reach the model', async () => {
  let time = 1_000_000;
  const store = new TestSession(() => (time += 1));
  const narrative = [
    '### 1. Current State\nA bag costs 66,000 yen on "Prices". "Prices" is still a draft. The list is long.',
    '### 2. What Comes Next\nMove the hero sec_zzzz99. Look at the kiln.',
    '### 3. What Was Accomplished\nThe page "Tariffs" was made at /tariffs.',
    '### 4. Technical Context\nNone.',
  ].join('\n\n');
  const engine = engineWith({}, () => time);
  const site = siteWith(
    () => [...facts.journal],
    () => [...things],
  );
  const request = {
    ...requestFor(
      store,
      summarizerOf(() => Promise.resolve(narrative)),
    ),
    site,
  };
  for (let index = 0; index < 9; index += 1)
    store.appendMany(
      counted([
        { role: 'user', parts: [text(`Request ${index}`)] },
        { role: 'assistant', parts: [text(`Answer ${index} ${'talk '.repeat(1_400)}`)] },
      ]),
    );
  const prepared = await engine.prepare(request);
  expect(prepared.compaction).toMatchObject({ strategy: 'reactive-overflow' });
  const sent = JSON.stringify(prepared.messages[0]);
  expect(sent).toContain('The list is long.');
  expect(sent).toContain('Look at the kiln.');
  expect(sent).toContain('was made at /prices');
  // The record itself quotes what was replaced by what.
  const narrated = sent.split(RECORD_HEADING)[0]!;
  for (const wrong of ['66,000', 'still a draft', 'sec_zzzz99', 'Tariffs', '/tariffs'])
    expect(narrated).not.toContain(wrong);
});

it('takes a step that was taken after the summary for no next step, and leaves the others', () => {
  const narrative = '### What Comes Next\n- Publish "Team".\n- Write the text about clay.';
  const later = [pageChange({ id: 'pag_team01', title: 'Team', slug: 'team', action: 'publish' })];
  expect(reconcileNarrative(narrative, { ...facts, later })).toBe('### What Comes Next\n- Write the text about clay.');
  expect(reconcileNarrative(narrative, facts)).toBe(narrative);
});
