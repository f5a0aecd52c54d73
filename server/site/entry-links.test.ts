import { describe, expect, it } from 'vitest';
import { findReferences, type LinkedSite } from '#server/site/find-references';
import { validateEntry } from '#server/site/validate-entry';
import type { Entry, EntryDocument, Section } from '#server/core/site/content';
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
  const whole = {
    entries,
    homeSlug: 'home',
    redirects: [],
    manualRedirects: [],
    navigation: [],
    pictures: [],
    ...site,
  };
  return findReferences({ type: target.startsWith('ast_') ? 'asset' : 'page', id: target }, whole);
}

async function links(body: string, target = 'team', site: Partial<LinkedSite> = {}): Promise<string[]> {
  const entries = [page('about', {}), page('team', { parent: 'about' }), page('other', { sections: [text(body)] })];
  return (await referencesTo(target, entries, site)).map(({ text: href }) => href);
}

it('finds a picture that all pages show, such as a logo', async () => {
  const pictures = ['/media/ast_logo01'];
  const from = { type: 'settings', id: 'settings', title: 'Site settings' };
  const found = [{ kind: 'image', from, text: pictures[0], isPublished: true }];
  expect(await referencesTo('ast_logo01', [], { pictures })).toEqual(found);
  expect(await referencesTo('ast_other1', [], { pictures })).toEqual([]);
});

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

  it('finds link fields, Markdown, navigation, settings and pages below, but not code', async () => {
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

function checkedPage(id: string, draft: Partial<EntryDocument>, isPublished = true): Entry {
  const document = { title: id, slug: id, excerpt: 'About it.', sections: [], ...draft };
  return testEntry(id, document, { published: isPublished ? document : null });
}

async function issuesOf(entry: Entry, others: readonly Entry[] = [], hasAnchors = true) {
  const issues = await validateEntry(entry, {
    entries: [entry, ...others],
    homeSlug: 'home',
    redirects: [{ from: '/was', targetId: 'there' }],
    manualRedirects: [{ from: '/promo', to: 'https://else.example/' }],
    hasAsset: async (id) => id === 'ast_there',
    hasPicture: async (path) => !path.endsWith('gone.svg'),
    hasAnchors,
    cleansHtml: hasAnchors,
  });
  return issues.map(({ path, message, severity }) => `${severity} ${path}: ${message}`);
}

describe('validateEntry', () => {
  it('has nothing to say of a page that is in order', async () => {
    const sections = [
      text(
        '[a](/there#sec_x) [b](/blog) [c](https://example.org/x) [d](#top) [p](/promo) ![A kiln](/media/ast_there/k.jpg) [e](/a.pdf)',
      ),
    ];
    const there = checkedPage('there', { sections: [{ ...text('x'), id: 'sec_x' }] });
    expect(await issuesOf(checkedPage('mine', { sections }), [there])).toEqual([]);
  });

  it('names pictures of this site that are not there, and not those of others', async () => {
    const fields = { heading: 'Hi', image: '/images/gone.svg?v=1', imageAlt: 'A kiln' };
    const sections = [
      text('![a](/images/gone.svg) ![b](/images/kiln.svg) ![c](https://example.org/gone.svg)'),
      { id: 'sec_2', type: 'hero' as const, fields },
    ];
    expect(await issuesOf(checkedPage('mine', { image: '/images/gone.svg', sections }))).toEqual([
      'warning image: The picture /images/gone.svg is not there.',
      'warning sections[0].fields.body: The picture /images/gone.svg is not there.',
      'warning sections[1].fields.image: The picture /images/gone.svg?v=1 is not there.',
    ]);
  });

  it('names links to sections that are not there or not published, where the page is ours', async () => {
    const there = { ...checkedPage('there', { sections: [{ ...text('x'), id: 'sec_x' }] }) };
    const draft = { ...there.draft, sections: [...there.draft.sections, { ...text('y'), id: 'sec_y' }] };
    const sections = [
      text('[a](/there#nope) [b](/there#sec_y) [c](/there#sec_x) [d](/there#content) [e](/blog#x) [f](/promo#x)'),
      {
        ...text('[a](#sec_new) [b](#sec_new-2) [c](#nope) [d](https://example.org/#x) [e](mailto:a@b.c#x)'),
        id: 'sec_new',
      },
    ];
    const mine = checkedPage('mine', { sections });
    expect(await issuesOf({ ...mine, published: null }, [{ ...there, draft }])).toEqual([
      'warning sections[0].fields.body: /there#nope leads to a section that is not there.',
      'warning sections[0].fields.body: /there#sec_y leads to a section that is not published.',
      'warning sections[1].fields.body: #nope leads to a section that is not there.',
    ]);
    expect(await issuesOf(mine, [{ ...there, draft }], false)).toEqual([]);
  });

  it.each([
    ['See [what they cost](/prices).', '[what they cost](/prices)'],
    ['It is **new** and _old_', '**new**'],
    ['A _small_ fee', '_small_'],
    ['*Closed* in May', '*Closed*'],
    ['5 * 3 * 2 = 30, snake_case_name, *from May, [sic](see below), (*) note (*), ____', null],
  ])('names Markdown that visitors would read as source: %s', async (body, markup) => {
    const fields = { heading: 'Book', body, buttonLabel: 'Go', buttonHref: '/blog' };
    const sections = [{ id: 'sec_1', type: 'call-to-action' as const, fields }, text('**fine** here')];
    expect(await issuesOf(checkedPage('mine', { sections }))).toEqual(
      markup === null
        ? []
        : [
            `warning sections[0].fields.body: Visitors read "${markup}" as it is written: this field takes no Markdown.`,
          ],
    );
  });

  it('names dead links, old addresses, and links to what visitors do not see', async () => {
    const sections = [text('[a](/nowhere) [b](/was) [c](/hidden) ![x](/media/ast_gone/x.jpg)')];
    expect(
      await issuesOf(checkedPage('mine', { sections }), [checkedPage('there', {}), checkedPage('hidden', {}, false)]),
    ).toEqual([
      'warning sections[0].fields.body: /nowhere leads nowhere.',
      'warning sections[0].fields.body: /was is an old address; it is /there now.',
      'warning sections[0].fields.body: /hidden leads to something that is not published.',
      'warning sections[0].fields.body: /media/ast_gone/x.jpg was taken out of the media library.',
    ]);
  });

  it('names texts that hold more markup than can be shown', async () => {
    const deep = { id: 'sec_2', type: 'html' as const, fields: { html: '<div>'.repeat(201) } };
    const issues = await issuesOf(checkedPage('mine', { sections: [text('*a_ '.repeat(12_000)), deep, text('fine')] }));
    expect(issues).toEqual([
      expect.stringMatching(/^warning sections\[0\]: It holds more markup than can be shown/),
      expect.stringMatching(/^warning sections\[1\]: It holds more markup than can be shown/),
    ]);
  });

  it('names what is missing: descriptions, texts and contents', async () => {
    const sections = [
      { id: 'sec_1', type: 'hero' as const, fields: { heading: 'Hi', image: '/images/a.svg' } },
      { id: 'sec_2', type: 'gallery' as const, fields: { images: [{ src: '/b.png', alt: ' ' }] } },
      { id: 'sec_3', type: 'faq' as const, fields: { items: [] } },
      text('  '),
    ];
    expect(await issuesOf(checkedPage('mine', { excerpt: '', sections }))).toEqual([
      'warning excerpt: There is neither an excerpt nor a description for search engines.',
      'warning sections[2]: The faq section is empty.',
      'warning sections[3]: The text section is empty.',
      'warning sections[0].fields.image: The picture /images/a.svg has no description.',
      'warning sections[1].fields.images[0].src: The picture /b.png has no description.',
    ]);
    expect(await issuesOf(checkedPage('mine', { excerpt: '', seo: { noIndex: true } }))).toEqual([
      'warning sections: There are no sections.',
    ]);
  });

  it('names elements of an HTML section that the site removes', async () => {
    const html = '<p>Find us</p><iframe src="https://maps.example/embed"></iframe>';
    const withFrame = checkedPage('mine', { sections: [{ id: 'sec_1', type: 'html' as const, fields: { html } }] });
    expect(await issuesOf(withFrame)).toEqual([
      'warning sections[0].fields.html: The site removes <iframe> from this HTML: visitors do not see it. Use a link instead.',
    ]);
    expect(await issuesOf(withFrame, [], false)).toEqual([]);
  });

  it('names a page above that is not there, and a slug that is taken', async () => {
    const mine = checkedPage('mine', { slug: 'there', parent: 'gone', sections: [text('x')] }, false);
    expect(await issuesOf(mine, [checkedPage('there', {})])).toEqual([
      'error slug: there is still published by "there" (there).',
      'warning parent: The page above was deleted.',
    ]);
    const below = checkedPage('mine', { parent: 'hidden', sections: [text('x')] });
    expect(await issuesOf(below, [checkedPage('hidden', {}, false)])).toEqual([
      'warning parent: The page above, "hidden", is not published.',
    ]);
  });
});
