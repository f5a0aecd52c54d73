import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SectionView } from '#components/content/section-view';
import { EntryView } from '#components/content/entry-view';
import { siteTexts } from '#server/core/messages/site-texts';
import type { SiteRoot } from '#components/content/text/site-href.ts';
import type { Section } from '#server/core/site/content';

const texts = siteTexts('en');

const sections: readonly Section[] = [
  {
    id: 'sec_a',
    type: 'hero',
    fields: { heading: 'Kilns', subheading: 'Warm', image: '/media/a.jpg', ctaLabel: 'Go' },
  },
  { id: 'sec_b', type: 'text', fields: { heading: 'About', body: 'Some **bold** words' } },
  { id: 'sec_c', type: 'faq', fields: { items: [{ question: 'When?', answer: 'Now.' }] } },
  { id: 'sec_d', type: 'gallery', fields: { images: [{ src: '/media/b.jpg', alt: 'B', caption: 'A bowl' }] } },
  { id: 'sec_e', type: 'html', fields: { html: '<p data-field="heading" data-kind="hero">Hello</p>' } },
];

function markup(root: SiteRoot): string {
  const site = {
    root,
    posts: [],
    pictures: {},
    forms: null,
    hasPlayers: false,
    entryId: '',
    contactEmail: '',
    language: 'en',
    texts,
  };
  return sections
    .map((section) =>
      renderToStaticMarkup(
        createElement(SectionView, { section, site, hasMainHeading: false, loadsFirst: false, isPlain: false }),
      ),
    )
    .join('');
}

test('A draft marks its sections with their kind, and the elements of a field with the field', () => {
  const draft = markup('/preview');
  expect([...draft.matchAll(/data-kind="([^"]*)"/g)].map(([, kind]) => kind)).toEqual(sections.map(({ type }) => type));
  expect([...draft.matchAll(/data-field="([^"]*)"(?: data-text="([^"]*)")?/g)].map(([, ...mark]) => mark)).toEqual([
    ['heading', 'line'],
    ['subheading', 'prose'],
    ['ctaLabel', 'line'],
    ['image', undefined],
    ['heading', 'line'],
    ['body', 'markdown'],
    ['items', undefined],
    ['items.0.question', 'line'],
    ['items.0.answer', 'prose'],
    ['images', undefined],
    ['images.0', undefined],
    ['images.0.caption', 'line'],
    ['html', undefined],
  ]);
});

test('A page with a hero has its heading and no second title, wherever the hero stands', () => {
  const site = {
    root: '/site',
    posts: [],
    pictures: {},
    forms: null,
    hasPlayers: false,
    entryId: '',
    contactEmail: '',
    language: 'en',
    texts,
  } as const;
  const headings = (shown: readonly Section[]) => {
    const document = { title: 'About', slug: 'about', sections: shown };
    const html = renderToStaticMarkup(createElement(EntryView, { type: 'page', document, publishedAt: null, site }));
    return [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, heading]) => heading);
  };
  const [hero, text] = sections;
  if (!hero || !text) throw new Error('No sections.');
  expect(headings([hero, text])).toEqual(['Kilns']);
  expect(headings([text, hero])).toEqual(['Kilns']);
  expect(headings([text])).toEqual(['About']);
});

test('The published site has no marks', () => {
  expect(markup('/site')).not.toMatch(/data-(?:kind|field|text)/);
});
