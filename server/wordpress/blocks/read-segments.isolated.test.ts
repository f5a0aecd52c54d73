import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { cutBlocks } from '#server/wordpress/blocks/source/block-scan';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import { checkSectionFields } from '#server/site/section-types';

const parsed = vi.hoisted(() => ({ letters: 0 }));

vi.mock('@wordpress/block-serialization-default-parser', async (original) => {
  const actual = await original<typeof import('@wordpress/block-serialization-default-parser')>();
  return { ...actual, parse: (raw: string) => ((parsed.letters += raw.length), actual.parse(raw)) };
});

const read = (raw: string) => readBlocks(raw, plainContext).map(({ type, fields }) => ({ type, fields }));

const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`;
const heading = (html: string, level = 2) =>
  `<!-- wp:heading {"level":${level}} -->\n<h${level}>${html}</h${level}>\n<!-- /wp:heading -->`;
const inRow = (...blocks: readonly string[]) => blocks.join('\n\n');

/** Bits of real content, and of broken content. */
const BITS = [
  paragraph('Hello <strong>you</strong>'),
  heading('Name'),
  heading('Below', 3),
  '<!-- wp:image {"id":5} -->\n<figure class="wp-block-image"><img src="/a.png" alt="A"/></figure>\n<!-- /wp:image -->',
  '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><p>Q</p><cite>Me</cite></blockquote>\n<!-- /wp:quote -->',
  '<!-- wp:columns --><div class="wp-block-columns"><!-- wp:column --><div>x</div><!-- /wp:column --></div><!-- /wp:columns -->',
  '<!-- wp:group {"className":"throughline-hero"} --><div class="wp-block-group throughline-hero"><h2>H</h2></div><!-- /wp:group -->',
  '<!-- wp:spacer /-->',
  '<!-- wp:latest-posts {"postsToShow":2} /-->',
  '<!-- wp:group -->',
  '<!-- /wp:group -->',
  '<!-- wp:x {"a":',
  '<!-- wp:x {} -->',
  '} -->',
  '<!--',
  '<p>Classic',
  'words\n\nand more',
  '</div>',
  '<table>',
  '<b>',
  '[caption]x[/caption]',
  '\r\n',
  '\u0000\u0085',
  '\n\n',
  ' ',
];

describe('readBlocks', () => {
  it('cuts any content into sections that are whole, and loses no byte', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...BITS), { maxLength: 10 }), (bits) => {
        const raw = bits.join('');
        const segments = readBlocks(raw, plainContext);
        expect(segments.map((segment) => segment.raw).join('')).toBe(raw);
        for (const { type, fields } of segments) expect(checkSectionFields(type, fields)).toEqual(fields);
      }),
      { numRuns: 120 },
    );
  });

  it('passes over a heading without words, but not over its picture', () => {
    const bodyOf = (html: string) => readBlocks(heading(html), plainContext).map(({ fields }) => fields['body']);
    expect(bodyOf(' ')).toEqual(['']);
    expect(bodyOf('<img src="/p.png" alt="P"/>')).toEqual(['# ![P](/p.png)']);
  });

  it('makes one text of running blocks, and begins another at a heading', () => {
    const list =
      '<!-- wp:list -->\n<ul><!-- wp:list-item -->\n<li>a</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->';
    const raw = inRow(
      paragraph('Before'),
      heading('One'),
      paragraph('x<br>y'),
      '<!-- wp:spacer /-->',
      heading('Within', 3),
      list,
      list,
      heading('Two'),
    );
    expect(read(raw)).toEqual([
      { type: 'text', fields: { body: 'Before' } },
      { type: 'text', fields: { heading: 'One', body: 'x\\\ny\n\n# Within\n\n- a\n\n* a' } },
      { type: 'text', fields: { heading: 'Two', body: '' } },
    ]);
  });

  it('knows pictures, galleries, quotes, covers and lists of posts', () => {
    const image =
      '<!-- wp:image --><figure class="wp-block-image"><a href="/a.jpg"><img src="/a.jpg" alt=""/></a><figcaption>A <em>cat</em></figcaption></figure><!-- /wp:image -->';
    const gallery = `<!-- wp:gallery --><figure class="wp-block-gallery">${image}${image}</figure><!-- /wp:gallery -->`;
    const old =
      '<!-- wp:gallery --><ul class="wp-block-gallery"><li class="blocks-gallery-item"><figure><img src="/o.jpg" alt="O"/></figure></li></ul><!-- /wp:gallery -->';
    const quote =
      '<!-- wp:quote --><blockquote class="wp-block-quote"><p>Q</p><cite>Ada<br>Poet</cite></blockquote><!-- /wp:quote -->';
    const pulled =
      '<!-- wp:pullquote --><figure class="wp-block-pullquote"><blockquote><p>P</p><cite>Bo</cite></blockquote></figure><!-- /wp:pullquote -->';
    const cover = `<!-- wp:cover {"url":"/c.jpg"} --><div class="wp-block-cover"><span aria-hidden="true" class="wp-block-cover__background"></span><img class="wp-block-cover__image-background" alt="Sea" src="/c.jpg"/><div class="wp-block-cover__inner-container">${heading('Hi')}${paragraph('There')}</div></div><!-- /wp:cover -->`;
    expect(
      read(inRow(image, gallery, old, quote, pulled, cover, '<!-- wp:latest-posts {"postsToShow":4} /-->')),
    ).toEqual([
      { type: 'image', fields: { src: '/a.jpg', alt: '', caption: 'A cat' } },
      {
        type: 'gallery',
        fields: {
          images: [
            { src: '/a.jpg', alt: '', caption: 'A cat' },
            { src: '/a.jpg', alt: '', caption: 'A cat' },
          ],
        },
      },
      { type: 'gallery', fields: { images: [{ src: '/o.jpg', alt: 'O' }] } },
      { type: 'quote', fields: { quote: 'Q', author: 'Ada', role: 'Poet' } },
      { type: 'quote', fields: { quote: 'P', author: 'Bo' } },
      { type: 'hero', fields: { heading: 'Hi', subheading: 'There', image: '/c.jpg', imageAlt: 'Sea' } },
      { type: 'posts-list', fields: { count: 4 } },
    ]);
    expect(read(inRow(paragraph('Before'), quote, paragraph('After')))).toEqual([
      { type: 'text', fields: { body: 'Before\n\n> Q\n>\n> Ada\\\n> Poet\n\nAfter' } },
    ]);
  });

  it.each([
    ['columns', BITS[5] ?? '', '<div class="wp-block-columns"><div>x</div></div>', 'core/columns'],
    ['a shortcode', '<!-- wp:shortcode -->[form id="3"]<!-- /wp:shortcode -->', '[form id="3"]', 'core/shortcode'],
    ['a block of a plugin', '<!-- wp:acme/map {"zoom":3} /-->', '', 'acme/map'],
    [
      'a picture that leads somewhere',
      '<!-- wp:image --><figure><a href="/shop"><img src="/a.png" alt=""/></a></figure><!-- /wp:image -->',
      '<figure><a href="/shop"><img src="/a.png" alt=""/></a></figure>',
      'core/image',
    ],
    [
      'a picture without an address that may be',
      '<!-- wp:image --><figure><img src="data:image/png;base64,x" alt="A"/></figure><!-- /wp:image -->',
      '<figure><img alt="A"/></figure>',
      'core/image',
    ],
    [
      'a table that markdown cannot say',
      '<!-- wp:table --><figure class="wp-block-table"><table><tbody><tr><td colspan="2">a</td></tr></tbody></table></figure><!-- /wp:table -->',
      '<figure class="wp-block-table"><table><tbody><tr><td colspan="2">a</td></tr></tbody></table></figure>',
      'core/table',
    ],
    [
      'an embedded video',
      '<!-- wp:embed {"url":"https://v.example/1"} --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://v.example/1\n</div></figure><!-- /wp:embed -->',
      '<figure class="wp-block-embed"><div class="wp-block-embed__wrapper"><a href="https://v.example/1">https://v.example/1</a></div></figure>',
      'core/embed',
    ],
  ])('keeps %s as HTML', (_, raw, html, block) => {
    expect(read(raw)).toEqual([{ type: 'html', fields: { html, block } }]);
  });

  it('keeps a group of ours as HTML if it holds more than the section can', () => {
    const raw = (more: string) =>
      `<!-- wp:group {"className":"throughline-faq"} --><div class="wp-block-group throughline-faq">${heading('Q?', 3)}${paragraph('A')}${more}</div><!-- /wp:group -->`;
    expect(read(raw(''))).toEqual([{ type: 'faq', fields: { items: [{ question: 'Q?', answer: 'A' }] } }]);
    expect(read(raw(paragraph('B')))).toEqual([
      { type: 'faq', fields: { items: [{ question: 'Q?', answer: 'A\n\nB' }] } },
    ]);
    expect(read(raw('<ul><li>x</li></ul>'))[0]?.type).toBe('html');
    expect(read(raw('stray'))[0]?.type).toBe('html');
  });

  it('splits content without blocks at empty lines; pictures and headings are separate', () => {
    const raw =
      'One\ntwo &amp; *three*\r\n\r\n<h2>Name</h2>\nFour <em>five</em>\n\n[caption id="x"]<img src="/a.png" alt="A" /> Cap[/caption]\n<ul>\n<li>six</li>\n</ul>\n<!--more-->\n<iframe src="https://v.example/1"></iframe>';
    expect(read(raw)).toEqual([
      { type: 'text', fields: { body: 'One\\\ntwo & \\*three\\*' } },
      { type: 'text', fields: { heading: 'Name', body: 'Four *five*' } },
      { type: 'image', fields: { src: '/a.png', alt: 'A', caption: 'Cap' } },
      { type: 'text', fields: { body: '- six' } },
      { type: 'html', fields: { html: '<a href="https://v.example/1">https://v.example/1</a>' } },
    ]);
  });

  it('reads a picture with a caption that stands straight before or after a line of text', () => {
    const raw = 'One\n[caption id="x"]<img src="/a.png" alt="A" /> Cap <a href="/b">b</a>[/caption]\nTwo';
    expect(read(raw)).toEqual([
      { type: 'text', fields: { body: 'One' } },
      { type: 'image', fields: { src: '/a.png', alt: 'A', caption: 'Cap b' } },
      { type: 'text', fields: { body: 'Two' } },
    ]);
  });

  it('continues in another section if a text is too long, within the limits of an entry', () => {
    const long = inRow(...Array.from({ length: 30 }, () => paragraph('word '.repeat(500))));
    const texts = read(long);
    expect(texts.map(({ type }) => type)).toEqual(['text', 'text']);
    const pictures = Array.from({ length: 100 }, (_, index) =>
      inRow(heading(`H${index}`), BITS[3] ?? '', paragraph('x')),
    );
    const [only, ...others] = read(inRow(...pictures));
    expect(others).toEqual([]);
    expect(only?.fields['body']).toContain('# H99\n\n![A](/a.png)\n\nx');
    const columns = Array.from({ length: 100 }, () => BITS[5] ?? '').join('\n');
    const sections = readBlocks(columns, plainContext);
    expect(sections).toHaveLength(60);
    expect(JSON.stringify(sections.at(-1)?.fields).match(/<div>x/g)).toHaveLength(41);
  });
});

describe('hostile content', () => {
  const megabyte = (bit: string) => bit.repeat(Math.ceil(1_000_000 / bit.length));

  it.each([
    ['comments that never end', megabyte('<!-- ')],
    ['openers', megabyte('<!-- wp:group -->')],
    ['attributes that never end', megabyte('<!-- wp:a {"b":')],
    ['attributes that end late', `${megabyte('<!-- wp:a {')}} -->`],
    ['brackets', megabyte('} ')],
    ['white space', `<!--${' '.repeat(1_000_000)}`],
    ['blocks in blocks', '<!-- wp:group --><div>'.repeat(10_000) + '</div><!-- /wp:group -->'.repeat(10_000)],
    ['elements in elements', `<!-- wp:html -->${'<div>'.repeat(10_000)}x<!-- /wp:html -->`],
    ['elements that never close', megabyte('<b>')],
    ['tags that never end', megabyte('<a ')],
    ['quotes of attributes', megabyte('<a b="')],
    ['quoted text in markdown', megabyte('> ')],
    ['brackets in markdown', `<p>${'['.repeat(40_000)}</p>`],
    ['brackets that could be links', `<p>${'[a]('.repeat(8_000)}</p>`],
    ['empty blocks', megabyte('<!-- wp:a /-->')],
    ['shortcodes', megabyte('[caption]')],
    ['endings of pictures', `<figure><a href="${'.png?'.repeat(80_000)}\nx"><img src="/a.png"></a></figure>`],
    ['short paragraphs', '<p>x</p>'.repeat(25_000)],
  ])('%s: read whole, and WordPress’s parser sees no more than it can', (_, raw) => {
    parsed.letters = 0;
    const segments = readBlocks(raw, plainContext);
    expect(segments.map((segment) => segment.raw).join('')).toBe(raw);
    expect(segments.length).toBeLessThanOrEqual(60);
    for (const { type, fields } of segments) checkSectionFields(type, fields);
    expect(parsed.letters).toBeLessThanOrEqual(2 * raw.length);
  });
});

describe('cutBlocks', () => {
  it('marks the place where WordPress has to guess', () => {
    const names = (raw: string) => cutBlocks(raw).map(({ name, isBroken, isOpen }) => [name, isBroken, isOpen]);
    expect(names('a<!-- wp:b --><!-- wp:c --><!-- /wp:x --><!-- /wp:b -->')).toEqual([
      [null, false, false],
      ['core/b', false, false],
    ]);
    expect(names('<!-- wp:b /--><!-- wp:acme/c -->')).toEqual([
      ['core/b', false, false],
      ['acme/c', true, true],
    ]);
    expect(names('<!-- wp:b /--><!-- /wp:b -->x')).toEqual([
      ['core/b', false, false],
      [null, true, true],
    ]);
  });
});
