import { describe, expect, it } from 'vitest';
import { nestsTooDeep } from '#server/core/html-nesting';

/** `times` of a piece, each with a number of its own. */
const many = (piece: (number: number) => string, times = 5_000) =>
  Array.from({ length: times }, (_, n) => piece(n)).join('');

describe('nestsTooDeep', () => {
  it.each([
    ['elements in one another', '<div>'.repeat(201)],
    ['end tags of nothing between them', many(() => '</i>', 300) + '<div>'.repeat(201)],
    ['words that are marked again in each paragraph', many((n) => `<p><b id=${n}></i>`)],
    ['end tags that mean nothing', many((n) => `<p><b id=${n}><select></b></select>`)],
    ['end tags in comments', many((n) => `<p><b id=${n}><!--</b>-->`)],
    ['end tags in what is taken for comments', many((n) => `<p><b id=${n}><!x </b><?x </b></ </b>`)],
    ['marks behind comments that end at once', many((n) => `<p><!--><b id=${n}>-->`)],
    ['end tags in attributes', many((n) => `<p><b id=${n}><hr title="</b>">`)],
    ['a few marks on very many paragraphs', many((n) => `<b id=${n}>`, 50) + '<p>x'.repeat(5_000)],
  ])('%s', (_, html) => {
    expect(nestsTooDeep(html)).toBe(true);
  });

  it.each([
    ['a long text', many(() => '<p><strong>One</strong> and <a href="/a">two</a></p>\n')],
    ['a long list', '<ul>' + '<li>x'.repeat(5_000) + '</ul>'],
    ['one mark around everything', `<font>${'<p>x</p>'.repeat(5_000)}</font>`],
    ['a table', `<table>${'<tr><td>a<td>b'.repeat(5_000)}</table>`],
  ])('not %s', (_, html) => {
    expect(nestsTooDeep(html)).toBe(false);
  });
});
