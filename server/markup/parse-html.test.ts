import { globSync, readFileSync } from 'node:fs';
import type { Nodes } from 'hast';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { parseHtml, parseHtmlWithinLimits } from '#server/markup/parse-html';

/** `times` copies of a piece, each with its number. */
const many = (piece: (number: number) => string, times = 5_000) =>
  Array.from({ length: times }, (_, n) => piece(n)).join('');

function nodesIn(root: Nodes): number {
  const open: Nodes[] = [root];
  let count = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    count += 1;
    if ('children' in node) open.push(...node.children);
  }
  return count;
}

describe('parseHtml', () => {
  it.each([
    ['elements in one another', '<div>'.repeat(201)],
    ['templates in one another', '<template>'.repeat(20_000)],
    ['end tags of nothing between them', many(() => '</i>', 300) + '<div>'.repeat(201)],
    ['words that are marked again in each paragraph', many((n) => `<p><b id=${n}></i>`)],
    ['end tags that mean nothing', many((n) => `<p><b id=${n}><select></b></select>`)],
    ['end tags in comments', many((n) => `<p><b id=${n}><!--</b>-->`)],
    ['end tags in what is taken for comments', many((n) => `<p><b id=${n}><!x </b><?x </b></ </b>`)],
    ['marks behind comments that end at once', many((n) => `<p><!--><b id=${n}>-->`)],
    ['end tags in attributes', many((n) => `<p><b id=${n}><hr title="</b>">`)],
    ['quotes in tags', many((n) => `<p "><b id=${n}>">`, 800)],
    ['marks behind a border', many((n) => `<b id=${n}><object></b></object><p>`, 900)],
    ['marks on very many paragraphs', `<p>${many((n) => `<b id=${n}>`, 50)}${'<p>x'.repeat(5_000)}`],
    ['attributes that are repeated', `<p><b ${many((n) => `a${n} `, 500)}>${'<p>x'.repeat(100)}`],
    ['comments', '<!---->'.repeat(30_001)],
    ['characters', 'x'.repeat(500_001)],
  ])('refuses too many %s, with advice', (_, html) => {
    expect(() => parseHtml(html)).toThrow(InvalidInputError);
    expect(() => parseHtml(html)).toThrow(/^The HTML has .* Split it into several sections/);
    expect(parseHtmlWithinLimits(html)).toBeNull();
  });

  it.each([
    ['a long text', many(() => '<p><strong>One</strong> and <a href="/a">two</a></p>\n')],
    ['a long list', '<ul>' + '<li>x'.repeat(5_000) + '</ul>'],
    ['one mark around everything', `<font>${'<p>x</p>'.repeat(5_000)}</font>`],
    ['a table', `<table>${'<tr><td>a<td>b'.repeat(5_000)}</table>`],
    ['a few marks around very many paragraphs', many((n) => `<b id=${n}>`, 50) + '<p>x'.repeat(5_000)],
    ['words in a table', `<table>${'<b>a</b><tr>'.repeat(5_000)}</table>`],
  ])('accepts %s', (_, html) => {
    expect(nodesIn(parseHtml(html))).toBeGreaterThan(5_000);
  });

  it('keeps positions', () => {
    const [, second] = parseHtml('<p>a</p><br>').children;
    expect(second?.position?.start.offset).toBe(8);
  });
});

it('is the only place that parses HTML', () => {
  const parsers =
    /from '(?:parse5|hast-util-(?:from-html|from-parse5|raw)|rehype(?:-parse|-raw)?|htmlparser2|cheerio|jsdom|linkedom)['/]/;
  const files = globSync('{app,components,prompts,scripts,sections,server}/**/*.{ts,tsx}');
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => parsers.test(readFileSync(file, 'utf8')))).toEqual(['server/markup/parse-html.ts']);
});
