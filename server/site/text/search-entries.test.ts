import { describe, expect, it } from 'vitest';
import { searchEntries } from '#server/site/text/search-entries';
import type { Entry } from '#server/core/site/content';
import { testEntry } from '#tests/support/test-entry';
import { sectionPlainText } from '#server/site/text/section-plain-text';

function entry(id: string, title: string, body: string, excerpt?: string): Entry {
  const sections = [{ id: `sec_${id}`, type: 'text' as const, fields: { body } }];
  return testEntry(id, { title, ...(excerpt !== undefined && { excerpt }), sections }, { createdAt: 0, updatedAt: 0 });
}

const ids = (entries: readonly Entry[], query: string) => searchEntries(entries, query).map(({ id }) => id);

describe('searchEntries', () => {
  const entries = [
    entry('visit', 'Visit us', 'Our café is open for glaze talks.'),
    entry('glaze', 'Glaze chemistry', 'Ash and clay.'),
    entry('kiln', 'The kiln', 'Firing takes a day.', 'How we fire a glaze.'),
  ];

  it('puts titles before excerpts before texts', () =>
    expect(ids(entries, 'GLAZE')).toEqual(['glaze', 'kiln', 'visit']));

  it('finds accents without accents', () => expect(ids(entries, 'cafe')).toEqual(['visit']));

  it.each([
    ['öffnungszeiten', 'Öffnungszeiten'],
    ['OFFNUNGSZEITEN', 'O\u0308ffnungszeiten'],
    ['Caf\u00e9', 'Unser Cafe\u0301'],
    ['cafe\u0301', 'UNSER CAF\u00c9'],
    ['STRASSE', 'Hauptstraße 5'],
    ['москва', 'МОСКВА'],
    ['елка', 'Ёлка'],
    ['οδοσ', 'Η ΟΔΌΣ μας'],
    ['full', 'Ｆｕｌｌ width'],
    ['２０', 'Room 20'],
    ['カフェ', 'ｶﾌｪ'],
    ['efficient', 'eﬃcient'],
    ['हिन्दी', 'हिन्दी में'],
    ['كتاب', 'كِتَابٌ'],
  ])('finds %s in %s', (query, text) => {
    expect(ids([entry('one', 'Title', `${text} and more.`), entry('two', text, '')], query)).toEqual(['two', 'one']);
  });

  it.each([
    ['が', 'か'],
    ['हद', 'हिन्दी'],
    ['นา', 'น้ำ'],
  ])('distinguishes %s from %s, whose marks are letters', (query, text) => {
    expect(ids([entry('one', text, text)], query)).toEqual([]);
  });

  it('shows the match in a text that folding makes longer or shorter', () => {
    for (const word of ['Straßen ', 'cafe\u0301s ', 'ﬁne ']) {
      const [hit] = searchEntries([entry('one', 'One', `${word.repeat(400)}needle ${word.repeat(400)}`)], 'NEEDLE');
      expect(hit?.snippet, word).toContain('needle');
    }
  });

  it('requires all words, or as many as exist', () => {
    expect(ids(entries, 'glaze firing')).toEqual(['kiln']);
    expect(ids(entries, 'glaze unicorn')).toEqual(['glaze', 'kiln', 'visit']);
    expect(ids(entries, 'unicorn')).toEqual([]);
    expect(ids(entries, '  "%_* ')).toEqual([]);
  });

  it('names the section that matched and shows the text around the match', () => {
    const long = entry('long', 'Long', `${'clay '.repeat(100)}needle ${'ash '.repeat(100)}`);
    const [hit] = searchEntries([long], 'needle');
    expect(hit).toMatchObject({ sectionId: 'sec_long', title: 'Long', slug: 'long' });
    expect(hit?.snippet).toMatch(/^….*needle.*…$/);
    expect(hit?.snippet.length).toBeLessThanOrEqual(160);
    expect(searchEntries(entries, 'chemistry')[0]).not.toHaveProperty('sectionId');
  });
});

it('sectionPlainText holds what a visitor reads, not addresses', () => {
  const hero = { heading: 'Bowls', image: '/secret.svg', imageAlt: 'A bowl', ctaLabel: 'Buy', ctaHref: '/secret' };
  expect(sectionPlainText({ id: 'sec_1', type: 'hero', fields: hero })).toBe('Bowls\nA bowl\nBuy');
  const form = { fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Send' };
  expect(sectionPlainText({ id: 'sec_2', type: 'form', fields: form })).toBe('Name\nSend');
  const html = '<!-- x --><h2 class="y">Ka<b>ol</b>in &amp; ash</h2>\n<style>p { }</style><p>Stone</p>';
  expect(sectionPlainText({ id: 'sec_3', type: 'html', fields: { html, block: 'core/group' } })).toBe(
    'Kaolin & ash\nStone',
  );
  const spaced = '<p>White&nbsp;glaze&#160;for\u00a0bowls</p>';
  expect(sectionPlainText({ id: 'sec_4', type: 'html', fields: { html: spaced } })).toBe('White glaze for bowls');
});
