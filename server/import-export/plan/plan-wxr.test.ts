import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import type { ImportReport } from '#server/core/site/imports';
import { planWxr } from '#server/import-export/plan/plan-wxr';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const odd = readFileSync('tests/fixtures/wxr/odd-site.xml', 'utf8').replaceAll('{{FUTURE}}', '2026-05-01 08:00:00');

/** How many of a kind were left out, by the reasons that say why. */
function remarks(report: ImportReport, kind: string): Record<string, number> {
  const told = [...report.notTaken, ...report.altered].filter((remark) => remark.kind === kind);
  return Object.fromEntries(told.map(({ reason, count }) => [reason, count]));
}

describe('the plan of a WXR file', () => {
  it('puts pages after the page above them, and out of circles', async () => {
    const { entries, log } = await planWxr(odd, NOW);
    const keys = entries.map(({ key }) => key);
    expect(keys.indexOf('post:11')).toBeLessThan(keys.indexOf('post:12'));
    const parents = entries.map(({ key, draft }) => [key, draft.parent]).filter(([, parent]) => parent !== undefined);
    expect(parents).toEqual([
      ['post:12', 'post:11'],
      ['post:13', 'post:14'],
    ]);
    expect(remarks(log.report(), 'page')).toMatchObject({
      'It was below itself: it has no parent here.': 1,
      'Its parent page is not in the file: it has no parent here.': 1,
    });
  });

  it('keeps dates, authors, tags, texts and old addresses', async () => {
    const { entries, pictures } = await planWxr(odd, NOW);
    const hello = entries.find(({ key }) => key === 'post:21');
    expect(hello).toMatchObject({
      publishedAt: Date.parse('2019-03-04T05:06:07Z'),
      formerPaths: ['/2019/03/04/hello'],
      draft: {
        title: 'Hello & welcome',
        excerpt: 'First words.',
        author: 'Mara Vance',
        image: 'https://old.example/wp-content/uploads/kiln.png',
        seo: { description: 'All about the kiln.' },
      },
    });
    expect(hello?.draft.tags?.slice(0, 2)).toEqual(['News', 'Tag 0']);
    expect(JSON.stringify(hello?.draft.content)).toContain('a kiln ]]> and an &amp;.');
    const unicode = entries.find(({ key }) => key === 'post:30');
    expect(unicode?.draft).toMatchObject({ title: 'Привет, мир 2', slug: '2' });
    expect(JSON.stringify(unicode?.draft.content)).toContain('陶 😀 .');
    expect(pictures).toMatchObject([{ alt: 'The kiln', number: 31 }]);
  });

  it.each([
    [
      'an element that is not closed',
      odd.replace('<wp:post_id>22</wp:post_id>', '<wp:post_id>22'),
      /line \d+: .*post_id/,
    ],
    ['a file that is cut off', odd.slice(0, odd.indexOf('Hello again')), /line \d+: .*cut off/],
    ['CDATA that is cut off', odd.slice(0, odd.indexOf('SECRET-PRIVATE')), /line \d+: .*CDATA.*cut off/],
    [
      'a document type',
      odd.replace('<rss', '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss'),
      /document type/,
    ],
    [
      "a name that is JavaScript's own",
      odd.replace('<wp:post_id>22', '<__proto__>x</__proto__><wp:post_id>22'),
      /reserved/,
    ],
    [
      'a tower of elements',
      odd.replace('<wp:post_id>22', `${'<a>'.repeat(500)}${'</a>'.repeat(500)}<wp:post_id>22`),
      /nested/,
    ],
    ['another XML', '<html><body/></html>', /not a WordPress export/],
  ])('refuses %s, with the line', async (_what, text, message) => {
    await expect(planWxr(text, NOW)).rejects.toThrow(InvalidInputError);
    await expect(planWxr(text, NOW)).rejects.toThrow(message);
  });

  it.each([
    ['characters', `<a>${'x'.repeat(5_000_000)}</a>`],
    ['tags', '<a/>'.repeat(200_000)],
  ])('leaves out an item of more %s than anybody writes, and takes the others', async (_what, added) => {
    const { entries, log } = await planWxr(odd.replace('<wp:post_id>22', `${added}<wp:post_id>22`), NOW);
    const whole = await planWxr(odd, NOW);
    expect(entries.length).toBe(whole.entries.length - 1);
    expect(remarks(log.report(), 'item')).toEqual({
      'It is too large: an item may have 5,000,000 characters and 200,000 tags.': 1,
    });
  });

  it('reads files that were made to take forever, or deeper than anybody walks', async () => {
    const file = (items: string[]) => `<rss><channel><title>T</title>${items.join('')}</channel></rss>`;
    const item = (id: number, type: string, more: string) =>
      `<item><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type>${more}</item>`;
    const many = <Item>(make: (number: number) => Item) =>
      Array.from({ length: 1_000 }, (_, number) => make(number + 1));
    const pages = file(many((id) => item(id, 'page', `<wp:post_parent>${id + 1}</wp:post_parent>`)));
    const deep = await planWxr(pages, NOW);
    expect(deep.entries).toHaveLength(1_000);
    expect(deep.log.report().altered.filter(({ reason }) => reason.includes('more than 100 pages'))).not.toEqual([]);
    const meta = (key: string, value: string) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`;
    const menu = many((id) =>
      item(
        id,
        'nav_menu_item',
        `<category domain="nav_menu" nicename="m">M</category>${meta('_menu_item_type', 'custom')}` +
          meta('_menu_item_url', '/x') +
          meta('_menu_item_menu_item_parent', String(id - 1)),
      ),
    );
    const { log } = await planWxr(file(menu), NOW);
    expect(log.report().notTaken.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(900);
    const picture = '<wp:attachment_url>https://a.example/a.png</wp:attachment_url><wp:post_parent>1</wp:post_parent>';
    const content = `<title><![CDATA[${'<b>'.repeat(20_000)}Bold]]></title><content:encoded>${'[gallery '.repeat(50_000)}</content:encoded>`;
    const hard = await planWxr(file([item(1, 'page', content), item(2, 'attachment', picture)]), NOW);
    expect(hard.entries).toMatchObject([{ draft: { title: 'Bold' } }]);
  });

  it('refuses a file of very many items before they are planned', async () => {
    const file = `<rss><channel>${'<item><title>x</title></item>'.repeat(50_001)}</channel></rss>`;
    await expect(planWxr(file, NOW)).rejects.toThrow('more than 50,000 items');
  });

  it('names the line in the file, not in the piece that was read', async () => {
    const broken = odd.replace('<wp:post_id>22</wp:post_id>', '<wp:post_id>22</wp:post_idd>');
    const line = broken.slice(0, broken.indexOf('22</wp:post_idd>')).split('\n').length;
    await expect(planWxr(broken, NOW)).rejects.toThrow(`line ${line}:`);
  });
});

/** A file with these items; each is `type`, `id`, `title`, `link` and content, and what else it has. */
function wxrOf(items: readonly Readonly<Record<string, string>>[]): string {
  const tag = (name: string, text = '') => `<${name}><![CDATA[${text}]]></${name}>`;
  const item = ({ type, id, title, link, content, more = '', status = 'publish' }: Readonly<Record<string, string>>) =>
    `<item>${tag('title', title)}${tag('link', link)}${tag('content:encoded', content)}${tag('wp:post_id', id)}
    ${tag('wp:post_name', title?.toLowerCase())}${tag('wp:status', status)}${tag('wp:post_type', type)}${more}</item>`;
  return `<rss xmlns:wp="x" xmlns:content="y"><channel><link>https://old.example</link>
    <wp:base_blog_url>https://old.example</wp:base_blog_url>${items.map(item).join('')}</channel></rss>`;
}

describe('content other than pages and posts', () => {
  const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;
  const show = (ref: number) => `<!-- wp:block {"ref":${ref}} /-->`;
  const comment = (id: string, approved: string, parent = '0') =>
    `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>Ann</wp:comment_author>
    <wp:comment_author_email>ann@old.example</wp:comment_author_email><wp:comment_date_gmt>2020-01-02 03:04:05</wp:comment_date_gmt>
    <wp:comment_content>Nice ${id}</wp:comment_content><wp:comment_approved>${approved}</wp:comment_approved>
    <wp:comment_parent>${parent}</wp:comment_parent></wp:comment>`;
  const file = wxrOf([
    { type: 'page', id: '1', title: 'Home', link: 'https://old.example/home/', content: paragraph('Hi.') + show(5) },
    {
      type: 'recipe_card',
      id: '2',
      title: 'Soup',
      link: 'https://old.example/recipes/soup/',
      content: paragraph('Stir.'),
      more: comment('7', '1') + comment('8', '0', '7') + comment('9', 'spam'),
    },
    {
      type: 'recipe_card',
      id: '3',
      title: 'Stew',
      link: 'https://old.example/?post_type=recipe_card&p=3',
      status: 'draft',
    },
    { type: 'shop_order', id: '4', title: 'Order', link: 'https://old.example/shop_order/4/' },
    { type: 'wp_block', id: '5', title: 'Hours', content: paragraph('Open daily.') + show(6) },
    { type: 'wp_block', id: '6', title: 'Phone', content: paragraph('Call us.') + show(5) },
    { type: 'wp_block', id: '10', title: 'Unused', content: paragraph('Nobody sees it.') },
    {
      type: 'wp_navigation',
      id: '11',
      title: 'Main',
      content: `<!-- wp:navigation-submenu {"label":"Home","type":"page","id":1,"url":"https://old.example/home/","kind":"post-type"} -->
<!-- wp:navigation-link {"label":"Cups","type":"category","id":2,"url":"https://old.example/category/cups/","kind":"taxonomy"} /-->
<!-- /wp:navigation-submenu --><!-- wp:page-list /-->`,
    },
    { type: 'wp_navigation', id: '12', title: 'Footer', content: '<!-- wp:page-list /-->' },
  ]);

  const left = 'It is empty: posts are listed at /blog here.';
  const shownAtBlog = 'It is shown at /blog instead of the list of posts.';
  it.each([
    ['Blog', 'publish', '', left],
    ['Blog', 'publish', paragraph(''), left],
    ['Blog', 'publish', '<p>&nbsp;</p>\n<br />\n', left],
    ['Blog', 'draft', '<!-- wp:latest-posts {"postsToShow":10} /-->', left],
    ['Blog', 'publish', paragraph('What we write.'), shownAtBlog],
    ['Blog', 'publish', show(5), shownAtBlog],
    ['Blog', 'publish', '<figure><img src="/a.jpg"></figure>', shownAtBlog],
    ['News', 'publish', paragraph(''), 'It is empty. If it listed the posts: here they are listed at /blog.'],
  ])('decides about a page for posts: %s (%s) with %j', async (title, status, content, reason) => {
    const { entries, log } = await planWxr(
      wxrOf([
        { type: 'page', id: '1', title, link: `https://old.example/${title}/`, content, status },
        { type: 'post', id: '2', title: 'First', link: 'https://old.example/first/', content: paragraph('Words.') },
        { type: 'wp_block', id: '5', title: 'Hours', content: paragraph('Open daily.') },
      ]),
      NOW,
    );
    expect(Object.keys(remarks(log.report(), 'page'))).toEqual([reason]);
    expect(entries.map(({ key }) => key)).toEqual(reason === left ? ['post:2'] : ['post:1', 'post:2']);
  });

  it('keeps the words of reusable blocks at their places', async () => {
    const { entries, log } = await planWxr(file, NOW);
    const home = entries.find(({ key }) => key === 'post:1')?.draft.content;
    expect(JSON.stringify(home)).toMatch(/Hi\..*Open daily\..*Call us\./);
    expect(remarks(log.report(), 'reusable block')).toEqual({
      'Its words are in the pages and posts that show it.': 2,
      'No page or post shows it.': 1,
    });
  });

  it('shows a reusable block within itself no more, however often', async () => {
    const nested = '<!-- wp:block {"ref":5} /-->'.repeat(30);
    const { entries } = await planWxr(
      wxrOf([
        { type: 'page', id: '1', title: 'Bowl', link: 'https://old.example/bowl/', content: nested },
        { type: 'wp_block', id: '5', title: 'Card', content: `${paragraph('A cup')}${nested}` },
      ]),
      NOW,
    );
    expect(JSON.stringify(entries[0]?.draft.content).length).toBeLessThan(100_000);
    expect(JSON.stringify(entries[0]?.draft.content)).toContain('A cup');
  });

  it('keeps the overrides of a reusable block', async () => {
    const named = (name: string) =>
      `{"metadata":{"name":"${name}","bindings":{"__default":{"source":"core/pattern-overrides"}}}}`;
    const card = [
      `<!-- wp:heading ${named('Name')} -->\n<h2 class="wp-block-heading">A cup</h2>\n<!-- /wp:heading -->`,
      `<!-- wp:image ${named('Look')} -->\n<figure class="wp-block-image"><img src='/cup.png' alt="Cup"/></figure>\n<!-- /wp:image -->`,
      paragraph('Made by hand.'),
      `<!-- wp:button ${named('Buy')} -->\n<div class="wp-block-button"><a class="wp-block-button__link">Buy</a></div>\n<!-- /wp:button -->`,
    ].join('\n\n');
    const own = {
      Name: { content: 'A <em>bowl</em> for $1' },
      Look: { url: '/bowl.png', alt: 'Bowl' },
      Buy: { text: 'Order', url: '/bowl' },
    };
    const content = `<!-- wp:block {"ref":5,"content":${JSON.stringify(own).replaceAll('<', String.raw`\u003c`)}} /-->`;
    const { entries } = await planWxr(
      wxrOf([
        { type: 'page', id: '1', title: 'Bowl', link: 'https://old.example/bowl/', content },
        { type: 'wp_block', id: '5', title: 'Card', content: card },
      ]),
      NOW,
    );
    const markup = card
      .replace('A cup', () => 'A <em>bowl</em> for $1')
      .replace(`src='/cup.png' alt="Cup"`, 'src="/bowl.png" alt="Bowl"')
      .replace('<a class="wp-block-button__link">Buy<', '<a href="/bowl" class="wp-block-button__link">Order<');
    expect(entries[0]?.draft.content).toEqual({ kind: 'markup', markup });
  });

  it('keeps metadata for search engines, except placeholders', async () => {
    const seoOf = async (description: string) => {
      const more = `<wp:postmeta><wp:meta_key>_yoast_wpseo_metadesc</wp:meta_key><wp:meta_value>${description}</wp:meta_value></wp:postmeta>`;
      const page = { type: 'page', id: '1', title: 'Sale', link: 'https://old.example/sale/', more };
      return (await planWxr(wxrOf([page]), NOW)).entries[0]?.draft.seo;
    };
    expect(await seoOf('Save 20% on cups and 30% on bowls.')).toEqual({
      description: 'Save 20% on cups and 30% on bowls.',
    });
    expect(await seoOf('Cups %%sep%% %%sitename%%')).toBeUndefined();
    expect(await seoOf('Cups of %customfield(place)%')).toBeUndefined();
  });

  it('makes pages of kinds of content that visitors had pages of, and keeps their comments', async () => {
    const { entries, log } = await planWxr(file, NOW);
    expect(entries.map(({ key, type, published }) => [key, type, published !== null])).toEqual([
      ['post:1', 'page', true],
      ['post:2', 'page', true],
      ['post:3', 'page', false],
    ]);
    const soup = entries.find(({ key }) => key === 'post:2');
    expect(soup).toMatchObject({ draft: { tags: ['recipe card'] }, formerPaths: ['/recipes/soup'] });
    const date = Date.UTC(2020, 0, 2, 3, 4, 5);
    expect(soup?.comments).toEqual([
      { id: '7', author: 'Ann', content: 'Nice 7', date, isApproved: true, parent: null },
      { id: '8', author: 'Ann', content: 'Nice 8', date, isApproved: false, parent: '7' },
    ]);
    expect(remarks(log.report(), 'shop_order')).toEqual({
      'Visitors had no page of it: only what has one is imported.': 1,
    });
  });

  it('takes the menu of a block theme', async () => {
    const { menu, log } = await planWxr(file, NOW);
    expect(menu).toEqual({
      name: 'Main',
      items: [
        {
          label: 'Home',
          target: { entry: 'post:1' },
          children: [{ label: 'Cups', target: { href: 'https://old.example/category/cups/' }, children: [] }],
        },
      ],
    });
    expect(remarks(log.report(), 'menu')).toEqual({
      'A site has one menu here: "Main" is taken.': 1,
      'It also had blocks that are no links: they are left out.': 1,
    });
  });
});
