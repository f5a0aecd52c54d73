import { describe, expect, it } from 'vitest';
import { findReferences, type LinkedSite } from '#server/content/entry-links';
import type { Entry, EntryDocument, Section } from '#server/core/content';
import { testEntry } from '#tests/support/test-entry';

let ids = 0;

function section(type: Section['type'], fields: Section['fields']): Section {
  ids += 1;
  return { id: `sec_${ids}`, type, fields };
}

const text = (body: string) => section('text', { body });

const page = (id: string, draft: Partial<EntryDocument>, published: Partial<EntryDocument> | null = draft) =>
  testEntry(id, draft, { published: published && { title: id, slug: id, sections: [], ...published }, publishedAt: 1 });

async function referencesTo(target: string, entries: readonly Entry[], site: Partial<LinkedSite> = {}) {
  const whole = { entries, homeSlug: 'home', redirects: [], leadsOn: [], navigation: [], ...site };
  return findReferences({ type: target.startsWith('ast_') ? 'asset' : 'page', id: target }, whole);
}

async function links(body: string, target = 'team', site: Partial<LinkedSite> = {}): Promise<string[]> {
  const entries = [page('about', {}), page('team', { parent: 'about' }), page('other', { sections: [text(body)] })];
  return (await referencesTo(target, entries, site)).map(({ text: href }) => href);
}

describe('references to a page', () => {
  it.each([
    '/about/team',
    '/about/team/',
    '/about/team#ada',
    '/about/team?from=menu#ada',
    '/team',
    '/site/about/team',
    '/preview/about/team',
    '/was-here',
  ])('count the link %s', async (href) => {
    const redirects = [{ from: '/was-here', targetId: 'team' }];
    expect(await links(`Meet [us](${href}).`, 'team', { redirects })).toEqual([href]);
  });

  it.each([
    '/about',
    '/about/teams',
    'https://example.org/about/team',
    '//example.org/about/team',
    '#team',
    'mailto:team@example.org',
    '/images/team.svg',
    '/blog/team',
  ])('do not count the link %s', async (href) => {
    const expected = href === '/blog/team' ? [href] : [];
    expect(await links(`Meet [us](${href}).`)).toEqual(expected);
  });

  it.each([
    ['/about/te%61m', '/about/te%61m'],
    ['/about/&#116;eam', '/about/team'],
    ['/ABOUT/TEAM', '/ABOUT/TEAM'],
  ])('count a link that is written otherwise: %s', async (written, href) => {
    expect(await links(`Meet [us](${written}).`)).toEqual([href]);
  });

  it('count the home page by no name at all', async () => {
    expect(await links('[Home](/)', 'team', { homeSlug: 'team' })).toContain('/');
  });

  it('count a slug with an escaped character', async () => {
    const entries = [page('about', {}), page('our-team', {}), page('other', { sections: [text('[us](/our\\-team)')] })];
    expect((await referencesTo('our-team', entries)).map(({ text: href }) => href)).toEqual(['/our-team']);
  });

  it('are found in link fields, markdown, the navigation, the settings and pages below, but not in code', async () => {
    const entries = [
      page('home', {
        sections: [
          section('hero', { heading: 'Hi', ctaHref: '/shop' }),
          section('call-to-action', { heading: 'Buy', buttonLabel: 'Go', buttonHref: '/shop#mugs' }),
          text('[a](/shop) and [b](/shop), `[c](/shop?code)`, <https://x.example/shop>'),
          section('features', { items: [{ title: 'No [link](/shop)', body: '/shop' }] }),
          section('html', {
            html: '<p><A HREF=/shop#html>a</A> <code>/shop</code><!-- <a href="/shop#not">b</a> --></p>',
          }),
        ],
      }),
      page('shop', { sections: [text('[Myself](/shop)')] }),
      page('mugs', { parent: 'shop' }, null),
    ];
    const navigation = [{ label: 'More', href: '/', children: [{ label: 'Shop', href: '/shop/' }] }];
    const found = await referencesTo('shop', entries, { navigation, homeSlug: 'shop' });
    expect(found.map(({ kind, from, text: as, isPublished }) => [kind, from.id, as, isPublished])).toEqual([
      ['home', 'settings', 'shop', true],
      ['navigation', 'navigation', 'More', true],
      ['navigation', 'navigation', 'Shop', true],
      ['link', 'home', '/shop', true],
      ['link', 'home', '/shop#mugs', true],
      ['link', 'home', '/shop', true],
      ['link', 'home', '/shop#html', true],
      ['child', 'mugs', 'mugs', false],
    ]);
    expect(found[3]?.from.sectionId).toBe(entries[0]?.draft.sections[0]?.id);
  });

  it('say whether visitors see them', async () => {
    const [kept, gone, added] = [text('[k](/shop)'), text('[g](/shop)'), text('[a](/shop)')];
    const other = page('other', { sections: [kept, added] }, { sections: [kept, gone] });
    const found = await referencesTo('shop', [page('shop', {}), other]);
    expect(found.map(({ from, isPublished }) => [from.sectionId, isPublished])).toEqual([
      [kept.id, true],
      [added.id, false],
      [gone.id, true],
    ]);
  });
});

it('references to a picture are found by its address, wherever it is shown', async () => {
  const entries = [
    page('a', {
      image: '/media/ast_1/kiln.jpg',
      seo: { image: '/media/ast_1/kiln.jpg?size=thumb' },
      sections: [
        section('gallery', {
          images: [
            { src: '/media/ast_2/b.png', alt: '' },
            { src: '/media/ast_1/x.jpg', alt: '' },
          ],
        }),
        text('![Kiln](/media/ast_1/kiln.jpg) [whole](/media/ast_1/kiln.jpg)'),
      ],
    }),
  ];
  const found = await referencesTo('ast_1', entries);
  expect(found.map(({ kind, text: href }) => [kind, href])).toEqual([
    ['image', '/media/ast_1/kiln.jpg'],
    ['image', '/media/ast_1/kiln.jpg?size=thumb'],
    ['image', '/media/ast_1/x.jpg'],
    ['image', '/media/ast_1/kiln.jpg'],
    ['link', '/media/ast_1/kiln.jpg'],
  ]);
});
