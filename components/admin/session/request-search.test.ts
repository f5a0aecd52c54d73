import { describe, expect, it } from 'vitest';
import { excerptAround, markMatches, searchRequest } from '#components/admin/session/request-search.ts';
import { request } from '#tests/support/next-request';

describe('searchRequest', () => {
  it('finds texts and tool names in any case, and keeps their places', () => {
    const found = searchRequest(request, ' ADD_section ');
    expect(found.messages.map(({ position }) => position)).toEqual([2]);
    expect(found).toMatchObject({ instructions: false, tools: true });
    expect(searchRequest(request, 'faq').messages.map(({ position }) => position)).toEqual([1]);
  });

  it('has all messages without a query', () => {
    expect(searchRequest(request, ' ')).toMatchObject({ instructions: true, tools: true });
    expect(searchRequest(request, '').messages).toHaveLength(3);
  });
});

describe('excerptAround', () => {
  it('begins at the beginning, on one line', () => {
    expect(excerptAround('  One\n\n two ', '')).toBe('One two');
    expect(excerptAround('x'.repeat(500), '')).toBe(`${'x'.repeat(160)}…`);
  });

  it('shows a match deep inside a text with its surroundings', () => {
    const text = `${'a '.repeat(300)}needle${' b'.repeat(300)}`;
    const excerpt = excerptAround(text, 'NEEDLE');
    expect(excerpt).toMatch(/^….{40}needle b/);
    expect(excerpt.endsWith('…')).toBe(true);
  });
});

describe('markMatches', () => {
  it('cuts a text at every match and loses nothing', () => {
    const pieces = markMatches('Ab ab c AB', 'ab');
    expect(pieces.filter((piece) => piece.isMatch).map((piece) => piece.text)).toEqual(['Ab', 'ab', 'AB']);
    expect(pieces.map((piece) => piece.text).join('')).toBe('Ab ab c AB');
  });

  it('marks nothing if positions in the text are uncertain', () => {
    expect(markMatches('İstanbul', 'stan')).toEqual([{ text: 'İstanbul', isMatch: false }]);
  });
});
