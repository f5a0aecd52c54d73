import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { EntryView } from '#components/content/entry-view';
import { translator } from '#components/i18n.ts';
import { applyOperations } from '#server/site/document-operations';
import { newDocument } from '#server/site/entry-document';
import { linksOf } from '#server/site/entry-links';
import * as parser from '#server/markup/parse-html';
import type { EntryDocument } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';

const t = translator('draftPreview');

vi.mock(import('#server/markup/parse-html'), { spy: true });

/** A section that is just within the limits of one text. */
const heavy = (number: number) => ({ html: `<p>${number}</p>${'<br>'.repeat(29_000)}` });
const heavySections = Array.from({ length: 60 }, (_, number) => ({ type: 'html' as const, fields: heavy(number) }));

it('an entry with too much markup in total is not saved, neither in one write nor in several', () => {
  const tooMany = heavySections.slice(0, 5);
  expect(() => newDocument({ type: 'page', title: 'Heavy', sections: tooMany })).toThrow(InvalidInputError);
  let document = newDocument({ type: 'page', title: 'Heavy', sections: heavySections.slice(0, 2) });
  const add = (number: number) => {
    const section = { id: `sec_heavy${number}`, type: 'html' as const, fields: heavy(number) };
    ({ document } = applyOperations(document, [{ op: 'insert-section', section }]));
  };
  expect(() => [3, 4, 5].forEach(add)).toThrow(/more markup than one page can show/);
  const titled = applyOperations(document, [{ op: 'set', field: 'title', value: 'Still heavy' }]);
  expect(titled.document.title).toBe('Still heavy');
});

it('sixty sections of plain articles are no such entry', () => {
  const body = 'Some *words* of an article with a [link](/a).\n\n'.repeat(60);
  const html = '<p>Some <em>words</em> with a <a href="/a">link</a>.</p>'.repeat(60);
  const sections = Array.from({ length: 60 }, (_, at) =>
    at % 2 === 0 ? { type: 'text' as const, fields: { body } } : { type: 'html' as const, fields: { html } },
  );
  expect(newDocument({ type: 'page', title: 'Long', sections }).sections).toHaveLength(60);
});

it('in a stored entry, sections beyond the limit are plain text, and the rest is parsed once', () => {
  const sections = heavySections.map((section, at) => ({ ...section, id: `sec_stored${at}` }));
  const document: EntryDocument = { title: 'Stored', slug: 'stored', sections };
  const site = { root: '/preview', posts: [] } as never;
  const show = () =>
    renderToStaticMarkup(createElement(EntryView, { type: 'page', document, publishedAt: null, site }));
  const parsed = () =>
    vi.mocked(parser.parseHtml).mock.calls.length + vi.mocked(parser.parseHtmlWithinLimits).mock.calls.length;
  vi.clearAllMocks();
  const html = show();
  const times = parsed();
  expect(times).toBeGreaterThan(0);
  expect(times).toBeLessThan(10);
  expect(html.match(/<br>/g)!.length).toBeLessThan(100_000);
  expect(html).toContain('59');
  expect(html.split(t('tooHeavy')).length - 1).toBeGreaterThan(50);
  expect(show()).toBe(html);
  expect(parsed()).toBe(times);
});

it('the links of a stored entry exclude sections that are shown as plain text', () => {
  const sections = heavySections.map(({ type, fields: { html } }, at) => ({
    id: `sec_linked${at}`,
    type,
    fields: { html: `<a href="/to-${at}">There</a>${html}` },
  }));
  vi.clearAllMocks();
  const hrefs = linksOf({ title: 'Stored', slug: 'stored', sections }).map(({ href }) => href);
  expect(hrefs).toEqual(['/to-0', '/to-1', '/to-2']);
  expect(vi.mocked(parser.parseHtmlWithinLimits)).toHaveBeenCalledTimes(3);
});
