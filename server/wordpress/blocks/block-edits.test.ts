import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSections } from '#server/wordpress/blocks/align-sections';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { readBlocks, type KnownSegment } from '#server/wordpress/blocks/read-segments';
import type { Section } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { arbitraryBlocks } from '#tests/support/arbitrary-blocks';
import { isDeep } from '#tests/support/deep';

function known(raw: string): KnownSegment[] {
  let count = 0;
  return alignSections([], readBlocks(raw, plainContext), () => `sec_${(count += 1)}`);
}

const sectionsOf = (segments: readonly KnownSegment[]): Section[] =>
  segments.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields }));

/** A value with one word of it replaced, wherever it stands. */
function reworded(value: JsonValue, from: string, to: string): JsonValue {
  if (typeof value === 'string') return value.replaceAll(new RegExp(String.raw`\b${from}\b`, 'g'), to);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reworded(item, from, to));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, reworded(item, from, to)]));
}

describe('an edit of one word', () => {
  it('changes only these letters, at any place; and its undo is exact to the byte', () => {
    fc.assert(
      fc.property(arbitraryBlocks(), fc.nat(), ({ raw, words }, nth) => {
        fc.pre(words.length > 0);
        const before = known(raw);
        expect(before.map((segment) => segment.raw).join('')).toBe(raw);
        const word = words[nth % words.length]!;
        const sections = sectionsOf(before);
        const edited = sections.map((section) => ({
          ...section,
          fields: reworded(section.fields, word, 'Changed') as Section['fields'],
        }));
        expect(edited, `no section says ${word}`).not.toEqual(sections);
        const after = composeContent(edited, before, plainContext);
        expect(after.raw).toBe(raw.replace(word, 'Changed'));
        expect(composeContent(sections, after.known, plainContext).raw).toBe(raw);
      }),
      { numRuns: isDeep ? 500 : 60 },
    );
  });
});

const p = (html: string) =>
  `<!-- wp:paragraph {"align":"center"} -->\n<p class="has-text-align-center">${html}</p>\n<!-- /wp:paragraph -->`;

describe('an edit of one word leaves unchanged', () => {
  const pre = (name: string, html: string) =>
    `<!-- wp:${name} -->\n<pre class="wp-block-${name}">${html}</pre>\n<!-- /wp:${name} -->`;
  const cell = (html: string) =>
    `<!-- wp:table -->\n<figure class="wp-block-table"><table><tbody><tr><td>one ${html} two</td><td>x</td></tr></tbody></table></figure>\n<!-- /wp:table -->`;
  it.each([
    ['a telephone number', p('one <a class="call" href="tel:+4930123">030 123</a> two')],
    ['a link whose address is not shown', p('one <a class="call" href="sms:+4930123">SMS</a> two')],
    ['an icon and the spaces around it', p('one <i class="fa fa-phone"></i> two')],
    [
      'an address that is no link, which WordPress may show as a player',
      p('one https://video.example/?a=1&amp;b=2 two'),
    ],
    ['an address in content without blocks', 'one\nhttps://video.example/?v=1\ntwo'],
    ['a line break in a table', cell('Mon<br>Tue<br />')],
    ['the lines and marks of preformatted text', pre('preformatted', 'one  <strong>bold</strong>\n   two\n<em>x</em>')],
    ['line breaks of preformatted text', pre('preformatted', 'one  x<br>two')],
    ['spaces beside a mark of preformatted text', pre('preformatted', 'one <mark> x</mark> two')],
    ['the lines of a verse', pre('verse', 'one  <em>x</em>\n  two')],
  ])('%s', (_, raw) => {
    const before = known(raw);
    for (const word of ['one', 'two']) {
      const edited = sectionsOf(before).map((section) => ({
        ...section,
        fields: reworded(section.fields, word, 'Changed') as Section['fields'],
      }));
      const after = composeContent(edited, before, plainContext);
      expect(after.raw).toBe(raw.replace(word, 'Changed'));
    }
  });
});

it('a caption of content without blocks gets other words, and keeps its marks and its picture', () => {
  const raw =
    'Before\n\n[caption id="attachment_5" align="left" width="300"]<a href="/a.png"><img class="wp-image-5" src="/a.png" alt="A" width="300" /></a> By <a href="/ann" rel="author">Ann</a>, <em>2019</em>[/caption]\n\nAfter';
  const before = known(raw);
  const change = (fields: Section['fields']) => {
    const sections = sectionsOf(before).map((section) =>
      section.type === 'image' ? { ...section, fields: { ...section.fields, ...fields } } : section,
    );
    return composeContent(sections, before, plainContext).raw;
  };
  expect(change({ caption: 'Made by Ann, 2020', alt: 'A cup' })).toBe(
    raw.replace('By', 'Made by').replace('2019', '2020').replace('alt="A"', 'alt="A cup"'),
  );
  expect(change({ src: '/b.png' })).toBe(raw.replaceAll('/a.png', '/b.png'));
});

describe('moved content keeps what WordPress stores with it', () => {
  const question = (n: number, answer: string) =>
    `<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading" id="q${n}">Q${n}</h3>\n<!-- /wp:heading -->\n\n${p(answer)}`;
  const questions = [
    question(1, 'Call <a href="sms:+49">us</a>'),
    question(2, `Two</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:paragraph -->\n<p>More`),
    question(3, 'Now <em>three</em>'),
  ];
  const comment = '<!-- The next ones are from Ann. -->';
  const reusable = '<!-- wp:block {"ref":5} /-->';
  const spacer = '<!-- wp:spacer {"height":"9px"} -->\n<div class="wp-block-spacer"></div>\n<!-- /wp:spacer -->';
  const faq = (inside: string) =>
    `<!-- wp:group {"className":"throughline-faq","layout":{"type":"constrained"}} -->\n<div class="wp-block-group throughline-faq">${inside}</div>\n<!-- /wp:group -->`;

  it.each([
    ['', '\n\n'],
    [' beside a comment', `\n\n${comment}\n\n`],
    [' beside another block', `\n\n${reusable}\n\n`],
  ])('a question with its answer%s', (_, gap) => {
    const inside = (all: readonly string[]) => faq(`${all[0]}${gap}${all[1]}\n\n${all[2]}`);
    const before = known(inside(questions));
    const [section] = sectionsOf(before) as [Section];
    const asked = section.fields['items'] as JsonValue[];
    const compose = (items: JsonValue[]) =>
      composeContent([{ ...section, fields: { ...section.fields, items } }], before, plainContext).raw;
    expect(compose(asked.toReversed())).toBe(inside(questions.toReversed()));
    expect(compose(asked.slice(1))).toBe(faq(`${gap.trim()}\n\n${questions[1]}\n\n${questions[2]}`.trim()));
    expect(compose(asked.slice(0, 1))).toBe(faq(`${questions[0]}${gap}`.trim()));
  });

  it.each([
    ['questions beside spacers', (n: number) => questions[n - 1]!],
    [
      'details',
      (n: number) =>
        `<!-- wp:details {"name":"d${n}"} -->\n<details class="wp-block-details" id="d${n}"><summary>Q${n}</summary>${p(`A${n} <a class="call" href="sms:+4${n}">us</a>`)}</details>\n<!-- /wp:details -->`,
    ],
  ])('a part of a group of theirs: %s', (_, part) => {
    const inside = (all: readonly number[]) =>
      `<!-- wp:group -->\n<div class="wp-block-group">${all.map(part).join(`\n\n${spacer}\n\n`)}</div>\n<!-- /wp:group -->`;
    const before = known(inside([1, 2, 3]));
    const [section] = sectionsOf(before) as [Section];
    for (const order of [
      [2, 1, 3],
      [3, 2, 1],
      [2, 3, 1],
      [3, 1],
    ]) {
      const html = known(inside(order))[0]!.fields['html']!;
      const edited = { ...section, fields: { ...section.fields, html } };
      expect(composeContent([edited], before, plainContext).raw).toBe(inside(order));
    }
  });

  it('a picture of a gallery', () => {
    const picture = (n: number, caption: string) =>
      `<!-- wp:image {"id":${n},"sizeSlug":"large","className":"is-style-c${n}"} -->\n<figure class="wp-block-image size-large is-style-c${n}"><img src="/${n}.png" alt="" class="wp-image-${n}"/><figcaption class="wp-element-caption">${caption}</figcaption></figure>\n<!-- /wp:image -->`;
    const pictures = [picture(1, 'By <a href="/ann">Ann</a>'), picture(2, 'Two'), picture(3, '<em>Three</em>')];
    const gallery = (all: readonly string[]) =>
      `<!-- wp:gallery {"linkTo":"none"} -->\n<figure class="wp-block-gallery has-nested-images">${all.join('\n\n')}</figure>\n<!-- /wp:gallery -->`;
    const before = known(gallery(pictures));
    const [section] = sectionsOf(before) as [Section];
    const images = section.fields['images'] as JsonValue[];
    const edited = { ...section, fields: { ...section.fields, images: images.toReversed() } };
    expect(composeContent([edited], before, plainContext).raw).toBe(gallery(pictures.toReversed()));
    const marked = known(gallery([pictures[0]!, comment, ...pictures.slice(1)]));
    const expected = gallery([pictures[2]!, comment, pictures[1]!, pictures[0]!]);
    expect(composeContent([edited], marked, plainContext).raw).toBe(expected);
  });
});

describe('another picture', () => {
  const context = {
    language: 'en',
    toLocal: (href: string) => href.replace('https://clay.example/', '/media/'),
    toRemote: (href: string) => href.replace('/media/', 'https://clay.example/'),
    mediaId: (src: string) => (src.includes('new') ? 9 : 5),
  };
  const change = (raw: string, fields: Section['fields']) => {
    let count = 0;
    const before = alignSections([], readBlocks(raw, context), () => `sec_${(count += 1)}`);
    const sections = sectionsOf(before).map((section) => ({ ...section, fields: { ...section.fields, ...fields } }));
    return composeContent(sections, before, context).raw;
  };

  it('is what a link around it opens, where that opened its file', () => {
    const linked =
      '<!-- wp:image {"id":5,"linkDestination":"media"} -->\n<figure class="wp-block-image"><a href="https://clay.example/old.jpg" class="box"><img src="https://clay.example/old-300x200.jpg" alt="Cup" class="wp-image-5"/></a></figure>\n<!-- /wp:image -->';
    expect(change(linked, { src: '/media/new.jpg' })).toBe(
      linked
        .replaceAll(/old(?:-300x200)?\.jpg/g, 'new.jpg')
        .replace('"id":5', '"id":9')
        .replace('image-5', 'image-9'),
    );
  });

  it('leaves a link around it to another picture', () => {
    const linked =
      '<!-- wp:image {"id":5,"linkDestination":"custom"} -->\n<figure class="wp-block-image"><a href="https://clay.example/plan.png"><img src="https://clay.example/old.jpg" alt="Cup" class="wp-image-5"/></a></figure>\n<!-- /wp:image -->';
    expect(change(linked, { src: '/media/new.jpg' })).toContain('href="https://clay.example/plan.png"');
  });

  it('inside a cover leaves the attributes of the cover', () => {
    const cover =
      '<!-- wp:cover {"url":"https://clay.example/old.jpg","id":5,"alt":"Old"} -->\n<div class="wp-block-cover"><img class="wp-block-cover__image-background wp-image-5" alt="Old" src="https://clay.example/old.jpg"/><div class="wp-block-cover__inner-container"><img alt="Small" src="https://clay.example/old.jpg"/></div></div>\n<!-- /wp:cover -->';
    const html = readBlocks(cover, context)[0]!.fields['html'] as string;
    const small = 'alt="Small" src="/media/old.jpg"';
    expect(html).toContain(small);
    expect(change(cover, { html: html.replace(small, small.replace('old', 'new')) })).toBe(
      cover.replace('Small" src="https://clay.example/old', 'Small" src="https://clay.example/new'),
    );
  });

  it.each(['https://clay.example/old.jpg', String.raw`https:\/\/clay.example\/old.jpg`])(
    'is in the attributes of a cover too: %s',
    (address) => {
      const cover = `<!-- wp:cover {"url":"${address}","id":5,"alt":"Old \\u0026 worn","dimRatio":50} -->\n<div class="wp-block-cover"><img class="wp-block-cover__image-background wp-image-5" alt="Old &amp; worn" src="https://clay.example/old.jpg" data-object-fit="cover"/><div class="wp-block-cover__inner-container"><!-- wp:heading -->\n<h2 class="wp-block-heading">Hi</h2>\n<!-- /wp:heading --></div></div>\n<!-- /wp:cover -->`;
      expect(change(cover, { image: '/media/new.jpg', imageAlt: 'New' })).toBe(
        cover
          .replace(address, 'https://clay.example/new.jpg')
          .replace('src="https://clay.example/old.jpg"', 'src="https://clay.example/new.jpg"')
          .replace('"id":5', '"id":9')
          .replace('image-5', 'image-9')
          .replace(String.raw`Old \u0026 worn`, 'New')
          .replace('Old &amp; worn', 'New'),
      );
    },
  );
});

it('an edit of a text in a group of ours keeps changes made in WordPress to its other blocks', () => {
  const group = (inside: string) =>
    `<!-- wp:group {"className":"throughline-text","backgroundColor":"sand"} -->\n<div class="wp-block-group throughline-text has-sand-background-color has-background">${inside}</div>\n<!-- /wp:group -->`;
  const heading =
    '<!-- wp:heading {"textAlign":"center"} -->\n<h2 class="has-text-align-center">Clay</h2>\n<!-- /wp:heading -->';
  const marked = p('See <a href="/a" target="_blank">us</a> <abbr title="x">now</abbr>');
  const raw = group(`${heading}\n\n${marked}\n\n${p('Two')}`);
  expect(known(raw)).toMatchObject([{ type: 'text', fields: { heading: 'Clay', body: 'See [us](/a) now\n\nTwo' } }]);
  expect(replaced(raw, 'See', 'Visit')).toBe(raw.replace('See', 'Visit'));
  expect(replaced(raw, 'Clay', 'Pots')).toBe(raw.replace('Clay', 'Pots'));
  expect(replaced(raw, '\n\nTwo', '\n\nNew\n\nTwo')).toBe(
    raw.replace(p('Two'), `<!-- wp:paragraph -->\n<p>New</p>\n<!-- /wp:paragraph -->\n\n${p('Two')}`),
  );
});

/** What becomes of a content where one text of its sections is replaced by another. */
function replaced(raw: string, from: string, to: string): string {
  const before = known(raw);
  const sections = sectionsOf(before).map((section) => ({
    ...section,
    fields: JSON.parse(
      JSON.stringify(section.fields).replace(JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1)),
    ) as Section['fields'],
  }));
  expect(sections, `no section says ${from}`).not.toEqual(sectionsOf(before));
  return composeContent(sections, before, plainContext).raw;
}

const column = (html: string) =>
  `<!-- wp:columns -->\n<div class="wp-block-columns">${html}</div>\n<!-- /wp:columns -->`;
const items =
  '<!-- wp:list {"className":"ticks"} -->\n<ul class="ticks"><!-- wp:list-item {"className":"x"} -->\n<li class="x">One</li>\n<!-- /wp:list-item -->\n\n<!-- wp:list-item -->\n<li>Two</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->';

const embed =
  '<!-- wp:embed {"url":"https://video.example/v"} -->\n<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://video.example/v\n</div></figure>\n<!-- /wp:embed -->';
const video =
  '<!-- wp:video {"id":4} -->\n<figure class="wp-block-video"><video controls src="https://clay.example/a.mp4"></video></figure>\n<!-- /wp:video -->';
const faqOf = (attribute: string, html: string, word: string) =>
  `<!-- wp:yoast/faq-block {"align":"center","questions":[{"id":"faq-1","question":["${attribute}"],"answer":["A",{"type":"br"}],"jsonQuestion":"${attribute}"}]} -->\n<div class="schema-faq wp-block-yoast-faq-block"><div class="schema-faq-section" id="faq-1"><strong class="schema-faq-question">${html}</strong> <p class="schema-faq-answer">${word}</p></div></div>\n<!-- /wp:yoast/faq-block -->`;

describe('an edit of more than a word', () => {
  it.each([
    [
      'a mark is put on a word',
      p('One <mark>two</mark> three'),
      'three',
      '**three**',
      p('One <mark>two</mark> <strong>three</strong>'),
    ],
    [
      'a mark is taken off a word between others',
      p('<strong>one two three</strong>'),
      '**one two three**',
      '**one** two **three**',
      p('<strong>one</strong> two <strong>three</strong>'),
    ],
    [
      'words go into the mark that the old ones had',
      p('One <mark>two</mark>'),
      '*two*',
      '*2 & 3*',
      p('One <mark>2 &amp; 3</mark>'),
    ],
    [
      'a mark whose words are gone goes with them',
      p('One <span class="a"><b>two</b></span> three'),
      ' **two**',
      '',
      p('One three'),
    ],
    [
      'a link leads elsewhere, and keeps how it opens',
      p('See <a href="/a" target="_blank">us</a>'),
      '(/a)',
      '(/b)',
      p('See <a href="/b" target="_blank">us</a>'),
    ],
    ['a link is made', p('See us'), 'us', '[us](/a)', p('See <a href="/a">us</a>')],
    [
      'lines of code are set in, and one is parted',
      '<!-- wp:code {"className":"k"} -->\n<pre class="wp-block-code k"><code>if (a) b;\nc &amp;&amp; d</code></pre>\n<!-- /wp:code -->',
      'if (a) b;\n',
      'if (a)\n    b;\n',
      '<!-- wp:code {"className":"k"} -->\n<pre class="wp-block-code k"><code>if (a)\n    b;\nc &amp;&amp; d</code></pre>\n<!-- /wp:code -->',
    ],
    [
      'a line is added to preformatted text',
      '<!-- wp:preformatted -->\n<pre class="wp-block-preformatted">A  <b>1</b></pre>\n<!-- /wp:preformatted -->',
      'A  1',
      'A  1\nB  2',
      '<!-- wp:preformatted -->\n<pre class="wp-block-preformatted">A  <b>1\nB  2</b></pre>\n<!-- /wp:preformatted -->',
    ],
    [
      'the first line of code is set in, and its last lines stay',
      '<!-- wp:code {"className":"k"} -->\n<pre class="wp-block-code k"><code>if a:\n  b\n\n</code></pre>\n<!-- /wp:code -->',
      'if a',
      '  if a',
      '<!-- wp:code {"className":"k"} -->\n<pre class="wp-block-code k"><code>  if a:\n  b\n\n</code></pre>\n<!-- /wp:code -->',
    ],
    [
      'the first line of preformatted text is set out',
      '<!-- wp:preformatted -->\n<pre class="wp-block-preformatted">  A\n  <b>1</b></pre>\n<!-- /wp:preformatted -->',
      '  A',
      'A',
      '<!-- wp:preformatted -->\n<pre class="wp-block-preformatted">A\n  <b>1</b></pre>\n<!-- /wp:preformatted -->',
    ],
    [
      'the first line of code in columns is set out',
      column('<pre>  a\n  b</pre>'),
      '<pre>  a',
      '<pre>a',
      column('<pre>a\n  b</pre>'),
    ],
    [
      'a word of a verse in columns',
      column('<pre class="wp-block-verse">one\n  two</pre>'),
      'one',
      'Changed',
      column('<pre class="wp-block-verse">Changed\n  two</pre>'),
    ],
    ['a line is broken', p('One two'), 'One two', 'One\\\ntwo', p('One<br>two')],
    [
      'a list item is added',
      items,
      '- Two',
      '- Two\n- Three',
      items.replace(
        '</li>\n<!-- /wp:list-item --></ul>',
        '</li>\n<!-- /wp:list-item -->\n\n<!-- wp:list-item -->\n<li>Three</li>\n<!-- /wp:list-item --></ul>',
      ),
    ],
    [
      'one of two list items that say the same says something else',
      items.replace('>Two<', '>One<'),
      '- One\n- One',
      '- Three\n- One',
      items.replace('>One<', '>Three<').replace('>Two<', '>One<'),
    ],
    [
      'a list item changes its place',
      items.replace('</ul>', '\n\n<!-- wp:list-item -->\n<li>Three</li>\n<!-- /wp:list-item --></ul>'),
      '- One\n- Two\n- Three',
      '- Two\n- Three\n- One',
      items
        .replace(/(<!-- wp:list-item \{[^]*?<!-- \/wp:list-item -->)\n\n([^]*?)<\/ul>/, '$2\n\nX\n\n$1</ul>')
        .replace('X', '<!-- wp:list-item -->\n<li>Three</li>\n<!-- /wp:list-item -->'),
    ],
    [
      'a list item is taken out',
      items,
      '- One\n',
      '',
      items.replace(/<!-- wp:list-item \{[^]*?<!-- \/wp:list-item -->\n\n/, ''),
    ],
    [
      'a paragraph between others goes, and the space after it stays',
      `${p('One')}\n\n${p('Two')}\n\n<!-- wp:spacer /-->\n\n${p('Three')}`,
      'Two\n\n',
      '',
      `${p('One')}\n\n<!-- wp:spacer /-->\n\n${p('Three')}`,
    ],
    [
      'a heading keeps its level and its anchor',
      `<!-- wp:heading {"level":1} -->\n<h1 id="a">Clay, by <em>hand</em></h1>\n<!-- /wp:heading -->\n\n${p('x')}`,
      'Clay',
      'Pots',
      `<!-- wp:heading {"level":1} -->\n<h1 id="a">Pots, by <em>hand</em></h1>\n<!-- /wp:heading -->\n\n${p('x')}`,
    ],
    [
      'a heading of another level keeps its anchor, classes and attributes',
      `<!-- wp:heading {"level":4,"textAlign":"center","className":"c"} -->\n<h4 class="has-text-align-center c" id="a">Four</h4>\n<!-- /wp:heading -->`,
      '## Four',
      '# Five',
      `<!-- wp:heading {"level":3,"textAlign":"center","className":"c"} -->\n<h3 class="has-text-align-center c" id="a">Five</h3>\n<!-- /wp:heading -->`,
    ],
    [
      'a heading in columns, of another level',
      column('<!-- wp:heading {"level":4} -->\n<h4 class="c" id="a">Four</h4>\n<!-- /wp:heading -->'),
      '<h4>Four</h4>',
      '<h3>Four</h3>',
      column('<!-- wp:heading {"level":3} -->\n<h3 class="c" id="a">Four</h3>\n<!-- /wp:heading -->'),
    ],
    [
      'a heading whose attributes do not say its level',
      column(
        '<!-- wp:heading {"textAlign":"left"} -->\n<h2 class="has-text-align-left">Two</h2>\n<!-- /wp:heading -->',
      ),
      '<h2 class="has-text-align-left">Two</h2>',
      '<h3 class="has-text-align-left">Two</h3>',
      column(
        '<!-- wp:heading {"level":3,"textAlign":"left"} -->\n<h3 class="has-text-align-left">Two</h3>\n<!-- /wp:heading -->',
      ),
    ],
    [
      'a heading without attributes',
      column('<!-- wp:heading -->\n<h2 class="wp-block-heading">Two</h2>\n<!-- /wp:heading -->'),
      '<h2 class="wp-block-heading">Two</h2>',
      '<h3 class="wp-block-heading">Two</h3>',
      column('<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Two</h3>\n<!-- /wp:heading -->'),
    ],
    ['a paragraph beside an embed', column(`${p('One')}${embed}`), 'One', 'Two', column(`${p('Two')}${embed}`)],
    [
      'a paragraph between a frame and a video',
      column(`<iframe src="https://maps.example/x"></iframe>${p('One')}${video}`),
      'One',
      'Two',
      column(`<iframe src="https://maps.example/x"></iframe>${p('Two')}${video}`),
    ],
    [
      'a text that the attributes of a plugin’s block repeat',
      faqOf(String.raw`What \u0026 why?`, 'What &amp; why?', 'center'),
      'What &amp; why?',
      'Who &amp; where?',
      faqOf(String.raw`Who \u0026 where?`, 'Who &amp; where?', 'center'),
    ],
    [
      'a word that is a setting of a plugin’s block too',
      faqOf('Why?', 'Why?', 'center'),
      '>center<',
      '>middle<',
      faqOf('Why?', 'Why?', 'center').replace('>center<', '>middle<'),
    ],
    [
      'a list item in columns',
      column(items),
      '<li>Two</li>',
      '<li>Two</li><li>Three</li>',
      column(
        items.replace(
          '</li>\n<!-- /wp:list-item --></ul>',
          '</li>\n<!-- /wp:list-item -->\n\n<!-- wp:list-item -->\n<li>Three</li>\n<!-- /wp:list-item --></ul>',
        ),
      ),
    ],
    [
      'a paragraph in columns',
      column(p('One')),
      '</p>',
      '</p><p>Two</p>',
      column(`${p('One')}\n\n<!-- wp:paragraph -->\n<p>Two</p>\n<!-- /wp:paragraph -->`),
    ],
    ['a mark in columns', column(p('One two')), 'two', '<em>two</em>', column(p('One <em>two</em>'))],
    [
      'a picture gets words',
      '<!-- wp:image {"id":5,"align":"right"} -->\n<figure class="wp-block-image alignright"><img src="/a.png" alt="A" class="wp-image-5" width="3"/></figure>\n<!-- /wp:image -->',
      '"alt":"A"',
      '"alt":"A","caption":"C"',
      '<!-- wp:image {"id":5,"align":"right"} -->\n<figure class="wp-block-image alignright"><img src="/a.png" alt="A" class="wp-image-5" width="3"/><figcaption class="wp-element-caption">C</figcaption></figure>\n<!-- /wp:image -->',
    ],
  ])('%s', (_, raw, from, to, expected) => {
    if (!from.startsWith('"')) expect(replaced(raw, from, to)).toBe(expected);
    else {
      const before = known(raw);
      const sections = sectionsOf(before).map((section) => ({
        ...section,
        fields: { ...section.fields, caption: 'C' },
      }));
      expect(composeContent(sections, before, plainContext).raw).toBe(expected);
    }
  });

  it.each([
    [
      'a paragraph in a plugin’s block',
      '<!-- wp:acme/slider {"a":1} -->\n<div class="wp-block-acme-slider"><p>One</p></div>\n<!-- /wp:acme/slider -->',
      '</p>',
      '</p><p>Two</p>',
      'acme/slider',
    ],
    [
      'the spaces of a verse in columns',
      column('<pre class="wp-block-verse">one\n  two</pre>'),
      'one\n  two',
      'one\n    two',
      'core/columns',
    ],
    [
      'an empty line at the end of code in columns',
      column('<pre>one\n  two</pre>'),
      'two</pre>',
      'two\n\n</pre>',
      'core/columns',
    ],
    [
      'another layout of columns',
      column(`${p('One')}${p('Two')}`),
      '<p class="has-text-align-center">Two</p>',
      '<div><p>Two</p></div>',
      'core/columns',
    ],
    [
      'HTML with a script',
      '<!-- wp:html -->\n<p>One</p><script>x()</script>\n<!-- /wp:html -->',
      '<p>One</p>',
      '<table><tbody><tr><td>One</td></tr></tbody></table>',
      'html section',
    ],
  ])('is refused where it would take something away: %s', (_, raw, from, to, name) => {
    expect(() => replaced(raw, from, to)).toThrow(InvalidInputError);
    expect(() => replaced(raw, from, to)).toThrow(name);
  });

  it.each([
    ['forth', 'Three\n\nOne **b**\n\n*Hi* two', [2, 0, 1]],
    ['back', '*Hi* two\n\nThree\n\nOne **b**', [1, 2, 0]],
    ['about', 'Three\n\n*Hi* two\n\nOne **b**', [2, 1, 0]],
  ])('paragraphs of a text that change their places take along what markdown cannot say: %s', (_, to, order) => {
    const texts = [
      '<!-- wp:paragraph {"fontSize":"large"} -->\n<p class="has-large-font-size">One <strong>b</strong></p>\n<!-- /wp:paragraph -->',
      p('<mark style="color:red">Hi</mark> two'),
      '<!-- wp:paragraph {"dropCap":true} -->\n<p class="has-drop-cap">Three</p>\n<!-- /wp:paragraph -->',
    ];
    const [content, expected] = [texts, order.map((n) => texts[n]!)].map(
      (all) => `${all.join('\n\n')}\n\n${column(p('x'))}`,
    );
    expect(replaced(content!, 'One **b**\n\n*Hi* two\n\nThree', to)).toBe(expected);
  });

  it('paragraphs of a classic text are moved with their source', () => {
    expect(replaced('One <u>b</u>\nline\n\nTwo\n\nThree <span>x</span>', 'Two\n\nThree x', 'Three x\n\nTwo')).toBe(
      'One <u>b</u>\nline\n\nThree <span>x</span>\n\nTwo',
    );
  });

  it('moves one section and leaves what is between the others', () => {
    const spacer = '<!-- wp:spacer {"height":"9px"} -->\n<div class="wp-block-spacer"></div>\n<!-- /wp:spacer -->';
    const html = (name: string) => `<!-- wp:acme/x -->\n<b>${name}</b>\n<!-- /wp:acme/x -->`;
    const before = known([html('a'), spacer, html('b'), spacer, html('c')].join('\n\n'));
    const [a, b, c] = sectionsOf(before) as [Section, Section, Section];
    const compose = (sections: Section[]) => composeContent(sections, before, plainContext).raw;
    expect(compose([b, c, a])).toBe([spacer, html('b'), spacer, html('c'), html('a')].join('\n\n'));
    expect(compose([c, a, b])).toBe(`${[html('c'), html('a'), spacer, html('b'), spacer].join('\n\n')}\n\n`);
    expect(compose([a, c])).toBe([html('a'), spacer, spacer, html('c')].join('\n\n'));
  });
});
