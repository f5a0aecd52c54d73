import { parse } from '@wordpress/block-serialization-default-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockContext, plainContext } from '#server/wordpress/blocks/block-context';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { childrenOf, wordsOf } from '#server/markup/html-tree';
import { withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import { readBlocks, type Segment } from '#server/wordpress/blocks/read-segments';
import { writeSection } from '#server/wordpress/blocks/section-blocks';
import { layouts } from '#sections/kinds';
import { weekdays } from '#server/core/sections/opening-hours';
import { checkSectionFields } from '#server/site/section-types';
import type { Section, SectionType } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { parseHtml } from '#server/markup/parse-html';
import { isDeep } from '#tests/support/deep';

/** Characters that mean something to HTML, markdown, JSON, block delimiters or shortcodes, and plain ones. */
const PIECES = [
  'a',
  'Bc ',
  ' ',
  '<',
  '>',
  '&',
  '"',
  "'",
  '--',
  '-->',
  '<!-- wp:paragraph -->',
  '<!-- /wp:group -->',
  '</p>',
  '\\',
  '[x]',
  '*',
  '_',
  '`',
  'é',
  '🍵',
  '&amp;',
  '{',
  '}',
  '/-->',
  '\t',
  '#',
  '|',
];
const lineOf = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('').trim());
const line = lineOf.filter((text) => text !== '');
/** A cell of a table. Three hyphens alone mark a header in Markdown. */
const cell = lineOf.map((text) => text.replaceAll(/[|\t]/g, '').trim()).filter((text) => !/^:?-{3,}:?$/.test(text));
const short = line.filter((text) => text.length <= 40);
const prose = fc
  .array(fc.oneof(lineOf, fc.constant('\n'), fc.constant('\n\n')), { maxLength: 6 })
  .map((parts) => parts.join(''));
const words = prose.filter((text) => text.trim() !== '');
const href = fc.constantFrom('/', '/about?a=1&b="', '#top', 'mailto:a@b.example', 'https://a.example/--><p>');
const src = fc.constantFrom('/media/ast_1', '/a"b<c>.png', 'https://a.example/x.jpg?a=1&b=--');
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const picture = fc.record({ src, alt: lineOf, caption: maybe(line) });

function few<Value>(value: fc.Arbitrary<Value>) {
  return fc.array(value, { maxLength: 3 });
}

/**
 * Fields of every type but `text` and `html`. Invisible combinations are not generated: an empty caption or
 * description, a picture's description without the picture, a button's address without its label.
 */
const arbitraryFields: Partial<Record<SectionType, fc.Arbitrary<object>>> = {
  hero: fc
    .record({
      heading: line,
      subheading: maybe(prose),
      image: maybe(fc.record({ image: src, imageAlt: maybe(line) })),
      button: maybe(fc.record({ ctaLabel: line, ctaHref: maybe(href) })),
    })
    .map(({ image, button, ...fields }) => ({ ...fields, ...image, ...button })),
  image: picture,
  gallery: fc.record({ heading: maybe(line), images: few(picture) }),
  features: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    items: few(fc.record({ title: line, body: prose })),
  }),
  quote: fc.record({ quote: words, author: maybe(line), role: maybe(line) }),
  faq: fc.record({ heading: maybe(line), items: few(fc.record({ question: line, answer: words })) }),
  'call-to-action': fc.record({ heading: line, body: maybe(prose), buttonLabel: line, buttonHref: href }),
  form: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    fields: few(fc.record({ label: line, kind: fc.constantFrom('text', 'email', 'textarea'), required: fc.boolean() })),
    submitLabel: line,
  }),
  'price-list': fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    items: few(fc.record({ title: line, price: short, body: maybe(prose) })),
    note: maybe(prose),
  }),
  timetable: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    items: few(fc.record({ title: line, day: short, time: short, body: maybe(line) })),
    note: maybe(prose),
  }),
  'opening-hours': fc.record({
    heading: maybe(line),
    items: few(
      fc.record({
        firstDay: fc.constantFrom(...weekdays),
        lastDay: maybe(fc.constantFrom(...weekdays)),
        hours: maybe(fc.constantFrom({ opens: '09:00', closes: '24:00' }, { opens: '09:00' }, { closes: '18:00' })),
      }),
    ).map((items) => items.map(({ hours, ...days }) => ({ ...days, ...hours }))),
    address: maybe(prose),
    phone: maybe(short),
    note: maybe(prose),
  }),
  team: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    items: few(
      fc.record({
        title: line,
        role: maybe(line),
        body: maybe(prose),
        image: maybe(fc.record({ src, alt: maybe(line) })),
      }),
    ).map((items) => items.map(({ image, ...person }) => ({ ...person, ...image }))),
  }),
  testimonials: fc.record({
    heading: maybe(line),
    items: few(fc.record({ quote: words, author: maybe(line), role: maybe(line) })),
  }),
  steps: fc.record({ heading: maybe(line), intro: maybe(prose), items: few(fc.record({ title: line, body: prose })) }),
  logos: fc.record({ heading: maybe(line), images: few(fc.record({ src, alt: lineOf, href: maybe(href) })) }),
  map: fc
    .record({
      heading: maybe(line),
      address: words,
      picture: maybe(fc.record({ image: src, imageAlt: maybe(line) })),
      href: maybe(href),
    })
    .map(({ picture: shown, ...fields }) => ({ ...fields, ...shown })),
  table: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    rows: fc
      .array(fc.array(cell, { minLength: 2, maxLength: 3 }), { maxLength: 3 })
      .map((rows) => rows.map((cells) => cells.join(' | ')).join('\n')),
    caption: maybe(line),
  }),
  downloads: fc.record({
    heading: maybe(line),
    intro: maybe(prose),
    items: few(fc.record({ title: line, href, body: maybe(line) })),
  }),
  video: fc.record({
    heading: maybe(line),
    href: fc.constantFrom('https://vimeo.com/76979871', 'https://youtu.be/aqz-KE-bpKQ'),
    title: line,
    image: maybe(src),
    caption: maybe(line),
  }),
  'posts-list': fc.record({
    heading: maybe(line),
    count: fc.integer({ min: 1, max: 50 }),
    tag: maybe(line.filter((tag) => tag.length <= 40)),
  }),
};

/** A layout of a type, or none. */
function layoutOf(type: SectionType) {
  return fc.constantFrom<string | undefined>(undefined, ...layouts[type]);
}

function stored(type: SectionType, fields: object): Section['fields'] {
  return checkSectionFields(type, JSON.parse(JSON.stringify(fields)) as Record<string, JsonValue>);
}

/** A text alone on its page as WordPress has it: `composeContent` gives it a group where its blocks are no section. */
function sentAndRead(fields: Section['fields']): Segment[] {
  return readBlocks(composeContent([{ id: 's', type: 'text', fields }], [], plainContext).raw, plainContext);
}

function letters(text: string): string {
  return text.replace(/\s+/g, '');
}

/** All words that a visitor of the WordPress site sees. */
function visible(raw: string): string {
  return letters(
    childrenOf(parseHtml(withoutDelimiters(raw)))
      .map(wordsOf)
      .join(''),
  );
}

describe('a section written for WordPress', () => {
  it('has its layout as a class for the theme, and none where it is the usual one', () => {
    const written = (fields: Section['fields']) => writeSection({ id: 's', type: 'hero', fields }, plainContext);
    expect(written({ heading: 'Hi' })).toMatch(/"throughline-hero".*class="wp-block-group throughline-hero"/s);
    expect(written({ heading: 'Hi', layout: 'centered' })).toMatch(/"throughline-hero throughline-layout-centered"/);
    const unknown = written({ heading: 'Hi' }).replaceAll(
      'throughline-hero',
      'throughline-hero throughline-layout-odd',
    );
    expect(readBlocks(unknown, plainContext)).toMatchObject([{ type: 'hero', fields: { heading: 'Hi' } }]);
  });

  it.each(Object.keys(arbitraryFields) as SectionType[])('%s is read back as it was', (type) => {
    fc.assert(
      fc.property(arbitraryFields[type] ?? fc.constant({}), layoutOf(type), (made, layout) => {
        const fields = stored(type, { ...made, layout });
        const raw = writeSection({ id: 's', type, fields }, plainContext);
        expect(readBlocks(raw, plainContext)).toEqual([{ raw, type, fields }]);
        // One block, as WordPress's own parser has it, and nothing outside.
        expect(parse(raw)).toHaveLength(1);
      }),
      { numRuns: isDeep ? 200 : 20 },
    );
  });

  it('text with a layout stays in a group of its own, whatever is edited', () => {
    const above: Section = { id: 'a', type: 'text', fields: { body: 'Above' } };
    const below: Section = { ...above, id: 'c' };
    const text: Section = {
      id: 'b',
      type: 'text',
      fields: { heading: 'Clay', body: 'One\n\nTwo', layout: 'two-columns' },
    };
    const { raw, known } = composeContent([above, text, below], [], plainContext);
    const read = (content: string) => readBlocks(content, plainContext).map(({ fields }) => fields);
    expect(read(raw)).toEqual([above.fields, text.fields, below.fields]);
    for (const changes of [{ body: 'One\n\nThree' }, { layout: 'heading-beside' }, { layout: undefined }]) {
      const fields = stored('text', { ...text.fields, ...changes });
      const edited = composeContent([above, { ...text, fields }, below], known, plainContext);
      expect(read(edited.raw)[1]).toEqual(fields);
    }
  });

  it('text keeps its heading and all its words', () => {
    const mark = fc.constantFrom(
      '# ',
      '- ',
      '> ',
      '1. ',
      '',
      '',
      '```\n',
      '| a | b |\n|---|---|\n| c | ',
      '![p](/x.png)',
      '~~x~~ ',
      '[l](/about) ',
    );
    const body = fc
      .array(fc.tuple(mark, lineOf), { maxLength: 6 })
      .map((blocks) => blocks.map((block) => block.join('')).join('\n\n'));
    fc.assert(
      fc.property(maybe(line), body, (heading, markdown) => {
        const fields = stored('text', { heading, body: markdown });
        const [first, ...others] = sentAndRead(fields);
        expect(others).toEqual([]);
        expect(['text', 'html']).toContain(first?.type);
        if (first?.type !== 'text') return;
        expect(first.fields['heading']).toBe(fields['heading']);
        const [again] = sentAndRead(first.fields);
        expect(visible(again?.raw ?? '')).toBe(visible(first.raw));
        expect(again?.fields).toEqual(first.fields);
      }),
      { numRuns: isDeep ? 400 : 30 },
    );
  });

  it('every kind of running text survives the way there and back', () => {
    const body = [
      'One **two** *three* `four` ~~five~~ [six](/six) <b>seven</b>\\\neight',
      '# Nine',
      '- ten\n  - eleven\n- twelve',
      '3. thirteen\n4. fourteen',
      '> fifteen\n>\n> sixteen',
      '```js\nlet seventeen = "<18>";\n\n// nineteen\n```',
      '| Twenty | Twenty-one |\n| ------ | :--------: |\n| 22     |     23     |',
      '---',
    ].join('\n\n');
    const raw = writeSection({ id: 's', type: 'text', fields: { heading: 'Zero', body } }, plainContext);
    expect(parse(raw).flatMap(({ blockName }) => blockName ?? [])).toEqual(
      ['heading', 'paragraph', 'heading', 'list', 'list', 'quote', 'code', 'table', 'separator'].map(
        (name) => `core/${name}`,
      ),
    );
    const [segment, ...others] = readBlocks(raw, plainContext);
    expect(others).toEqual([]);
    expect(segment).toEqual({
      raw,
      type: 'text',
      fields: { heading: 'Zero', body: body.replace('<b>seven</b>', '\\<b>seven\\</b>') },
    });
  });

  it('HTML loses scripts and hidden parts, and Markdown links have safe targets', () => {
    const html =
      '<p onclick="x()" id="a">a</p><script>x</script><!-- /wp:html --><iframe src="https://a.example/v"></iframe>';
    const raw = writeSection({ id: 's', type: 'html', fields: { html } }, plainContext);
    expect(raw).toBe(
      '<!-- wp:html -->\n<p>a</p><a href="https://a.example/v">https://a.example/v</a>\n<!-- /wp:html -->',
    );
    const text = writeSection({ id: 's', type: 'text', fields: { body: '[a](javascript:x)' } }, plainContext);
    expect(text).toBe('<!-- wp:paragraph -->\n<p><a>a</a></p>\n<!-- /wp:paragraph -->');
  });

  it('names weekdays in the language of the site, and reads those of another one', () => {
    const items = [{ firstDay: 'monday', lastDay: 'friday', opens: '09:00', closes: '18:00' }, { firstDay: 'sunday' }];
    const raw = writeSection(
      { id: 's', type: 'opening-hours', fields: { items } },
      { ...plainContext, language: 'de-AT' },
    );
    expect(raw).toContain('>Montag – Freitag: 09:00 – 18:00<');
    expect(raw).toContain('>Sonntag: geschlossen<');
    for (const language of ['de-AT', 'fr']) {
      const [read] = readBlocks(raw, { ...plainContext, language });
      expect(read).toMatchObject({ type: 'opening-hours', fields: { items } });
    }
  });

  it('writes a picture with a caption within a text as an image block with a caption', () => {
    const context: BlockContext = { ...plainContext, mediaId: () => 7 };
    const body = 'Before.\n\n![Kiln](/media/ast_1 "The <big> kiln")\n\nAfter.';
    const raw = writeSection({ id: 's', type: 'text', fields: { body } }, context);
    expect(raw).toContain(
      'class="wp-image-7"/><figcaption class="wp-element-caption">The &lt;big&gt; kiln</figcaption>',
    );
    const read = readBlocks(raw, context);
    expect(read.map(({ type, fields }) => ({ type, fields }))).toEqual([
      { type: 'text', fields: { body: 'Before.' } },
      { type: 'image', fields: { src: '/media/ast_1', alt: 'Kiln', caption: 'The <big> kiln' } },
      { type: 'text', fields: { body: 'After.' } },
    ]);
    expect(read.map((section) => section.raw).join('')).toBe(raw);
  });

  it('has the addresses and picture ids of the site, and is read with ours', () => {
    const context: BlockContext = {
      language: 'de',
      toRemote: (address) => address.replace(/^\//, 'https://wp.example/'),
      toLocal: (address) => address.replace('https://wp.example/', '/'),
      mediaId: (address) => (address === '/media/ast_1' ? 7 : undefined),
    };
    const sections: Omit<Section, 'id'>[] = [
      { type: 'image', fields: { src: '/media/ast_1', alt: 'A' } },
      { type: 'hero', fields: { heading: 'H', image: '/media/ast_1', ctaLabel: 'Go', ctaHref: '/go' } },
      { type: 'text', fields: { body: 'See [it](/it).\n\n> [there](/there)' } },
      { type: 'html', fields: { html: '<p><a href="/x">x</a></p>' } },
    ];
    for (const section of sections) {
      const raw = writeSection({ id: 's', ...section }, context);
      expect(raw).not.toMatch(/(?:href|src)="\//);
      expect(raw.includes('"id":7')).toBe(raw.includes('wp-image-7'));
      expect(raw.includes('wp-image-7')).toBe(section.type === 'image' || section.type === 'hero');
      expect(readBlocks(raw, context)).toEqual([{ raw, ...section }]);
    }
  });
});
