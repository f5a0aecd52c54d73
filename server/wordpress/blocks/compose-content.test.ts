import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSections, readKnown } from '#server/wordpress/blocks/align-sections';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { plainContext } from '#server/wordpress/blocks/block-context';
import type { KnownSegment } from '#server/wordpress/blocks/read-segments';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import type { Section } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';

const paragraph = (html: string, align = '') => `<!-- wp:paragraph${align} -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`;
const columns = '<!-- wp:columns --><div class="wp-block-columns"><p>c</p></div><!-- /wp:columns -->';
const quote = '<!-- wp:quote --><blockquote class="wp-block-quote"><p>Q</p></blockquote><!-- /wp:quote -->';
const page = `<!-- wp:heading -->
<h2>Name</h2>
<!-- /wp:heading -->

${paragraph('One', ' {"align":"center"}')}

<!-- wp:spacer /-->

<!-- wp:list -->
<ul><li>a</li></ul>
<!-- /wp:list -->

${paragraph('Two', ' {"dropCap":true}')}

${columns}${paragraph('After')}

<!-- wp:image {"id":5} -->
<figure class="wp-block-image"><img src="/a.png" alt="A"/></figure>
<!-- /wp:image -->

${quote}
`;

function known(raw: string): KnownSegment[] {
  let count = 0;
  return alignSections([], readBlocks(raw, plainContext), () => `sec_${(count += 1)}`);
}

const sectionsOf = (segments: readonly KnownSegment[]): Section[] =>
  segments.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields }));

const compose = (sections: readonly Section[], before: readonly KnownSegment[]) =>
  composeContent(sections, before, plainContext);

const bodyOf = (section: Section | undefined) =>
  typeof section?.fields['body'] === 'string' ? section.fields['body'] : '';

/** The sections as WordPress has them after `raw` was sent. */
const readAgain = (raw: string) => readBlocks(raw, plainContext).map(({ type, fields }) => ({ type, fields }));
const contentOf = (sections: readonly Section[]) => sections.map(({ type, fields }) => ({ type, fields }));

describe('composeContent', () => {
  it('writes what was not touched byte for byte', () => {
    const before = known(page);
    expect(before.map(({ type }) => type)).toEqual(['text', 'html', 'text', 'image', 'quote']);
    expect(compose(sectionsOf(before), before)).toEqual({ raw: page, known: before });
  });

  it('equals its former bytes after an inserted section is removed, at any place', () => {
    const content = [quote, columns, paragraph('Last')].join('\n\n');
    const before = known(content);
    const added: Section = { id: 'sec_new', type: 'hero', fields: { heading: 'New' } };
    for (let at = 0; at <= before.length; at += 1) {
      const longer = compose(sectionsOf(before).toSpliced(at, 0, added), before);
      expect(compose(sectionsOf(before), longer.known).raw).toBe(content);
    }
  });

  it('keeps the bytes of the blocks of a text whose markdown is as it was', () => {
    const before = known(page);
    const [text, ...others] = sectionsOf(before);
    const body = bodyOf(text).replace('- a', '- a\n- *b*');
    const edited: Section = { id: 'sec_1', type: 'text', fields: { heading: 'Name', body: `${body}\n\nNew` } };
    const { raw, known: after } = compose([edited, ...others], before);
    const expected = page
      .replace('<li>a</li>', '<li>a</li><li><em>b</em></li>')
      .replace(columns, `${paragraph('New')}\n\n${columns}`);
    expect(raw).toBe(expected);
    expect(after.map((segment) => segment.raw).join('')).toBe(raw);
    expect(readAgain(raw)).toEqual(contentOf([edited, ...others]));
  });

  it('a new heading leaves the body alone', () => {
    const before = known(page);
    const [text, ...others] = sectionsOf(before);
    const renamed: Section = { id: 'sec_1', type: 'text', fields: { heading: 'A & B', body: bodyOf(text) } };
    expect(compose([renamed, ...others], before).raw).toBe(page.replace('Name', 'A &amp; B'));
  });

  it('any order, with anything left out or put in, is read back as those sections', () => {
    const before = known(page);
    const made: Section[] = [
      ...sectionsOf(before),
      { id: 'new_1', type: 'text', fields: { body: 'New' } },
      { id: 'new_2', type: 'text', fields: { body: 'With\n\n![p](/p.png)\n\npicture' } },
      { id: 'new_3', type: 'text', fields: { body: '> only a quote' } },
      { id: 'new_4', type: 'quote', fields: { quote: 'Mine' } },
      { id: 'new_5', type: 'text', fields: { body: '' } },
      { id: 'new_6', type: 'posts-list', fields: { count: 3, tag: 'Tea & cake' } },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(made), (sections) => {
        const { raw, known: after } = compose(sections, before);
        const read = readKnown(after, raw, plainContext, () => 'new');
        expect(sectionsOf(read)).toEqual(sections);
        expect(read.map((segment) => segment.raw).join('')).toBe(raw);
        expect(after.map((segment) => segment.raw).join('')).toBe(raw);
        expect(after.map(({ sectionId }) => sectionId)).toEqual(sections.map(({ id }) => id));
        for (const segment of after) {
          const former = before.find(({ sectionId }) => sectionId === segment.sectionId);
          const own = former?.raw.replace('<!-- wp:spacer /-->\n\n', '').trim() ?? '';
          expect(segment.raw.replace('<!-- wp:spacer /-->\n\n', '')).toContain(own);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([[''], ['# '], ['# ![p](/p.png)'], ['&nbsp;']])('a text of %j is a section wherever it stands', (body) => {
    const odd: Section = { id: 'odd', type: 'text', fields: { body } };
    const plain: Section = { id: 'plain', type: 'text', fields: { body: 'Plain' } };
    const isPlain = (raw: string) => readAgain(raw).map(({ fields }) => fields['body'] === 'Plain');
    const { raw } = compose([odd, plain], []);
    expect(isPlain(raw)).toEqual([false, true]);
    expect(isPlain(compose(sectionsOf(known(raw)), []).raw)).toEqual([false, true]);
    expect(isPlain(compose([plain, odd], []).raw)).toEqual([true, false]);
    const before = compose([{ ...odd, fields: { body: 'Once more' } }, plain], []).known;
    expect(isPlain(compose([odd, plain], before).raw)).toEqual([false, true]);
  });

  it.each([
    [
      'a block that never closes',
      `<!-- wp:group {"className":"keep"} -->\n<div class="wp-block-group keep">${paragraph('In')}</div>\n\n${paragraph('Last')}`,
    ],
    ['a closer too many', `<!-- /wp:group -->\n\n${paragraph('Last', ' {"align":"center"}')}`],
  ])('%s stays byte for byte: new sections are inserted before it, none after it', (_, broken) => {
    const content = `${paragraph('One')}\n\n${columns}\n\n${broken}`;
    const before = known(content);
    const [one, second, rest, ...others] = sectionsOf(before) as [Section, Section, Section];
    expect(others).toEqual([]);
    const added: Section[] = [
      { id: 'new', type: 'text', fields: { body: 'New' } },
      { id: 'new', type: 'faq', fields: { items: [{ question: 'Q?', answer: 'A' }] } },
      { id: 'new', type: 'quote', fields: { quote: 'New' } },
    ];
    for (const section of added) {
      expect(() => compose([one, second, rest, section], before)).toThrow(rest.id);
      const { raw, known: after } = compose([one, second, section, rest], before);
      expect(raw.endsWith(broken)).toBe(true);
      expect(compose([one, second, rest], after).raw).toBe(content);
    }
    expect(() => compose([one, rest, second], before)).toThrow(InvalidInputError);
    expect(compose([second, one, rest], before).raw.endsWith(broken)).toBe(true);
    // Its removal and an addition at the end, undone in another order.
    const removed = compose([one, second, added[0]!], before).known;
    const former = (section: Section) => before.find(({ sectionId }) => sectionId === section.id)?.raw;
    expect(() => composeContent([one, second, rest, added[0]!], removed, plainContext, former)).toThrow(rest.id);
    expect(composeContent([one, second, added[0]!, rest], removed, plainContext, former).raw).toContain(broken);
  });

  it('restores the former words of a section and keeps what was put around it in WordPress since', () => {
    const inner = [paragraph('One'), '<!-- wp:spacer {"height":"1px"} /-->', paragraph('Two')].join('\n\n');
    const spacer = '<!-- wp:spacer {"height":"9px"} /-->';
    // The last paragraph was removed, so that the inner spacer ended the section; then another spacer was put there.
    const shortened = `${paragraph('One')}\n\n<!-- wp:spacer {"height":"1px"} /-->\n\n${spacer}\n\n`;
    const present = known(`${shortened}${columns}`);
    const [text, html] = sectionsOf(present) as [Section, Section];
    const restored: Section = { ...text, fields: { body: 'One\n\nTwo' } };
    const { raw } = composeContent([restored, html], present, plainContext, ({ id }) =>
      id === text.id ? `${inner}\n\n` : undefined,
    );
    expect(raw.replaceAll(/\s+/g, ' ')).toBe(`${inner} ${spacer} ${columns}`.replaceAll(/\s+/g, ' '));
  });

  it('content without blocks stays without them, until a list of posts comes', () => {
    const classic = 'One\nline\n\nTwo\n\n<img src="/a.png" alt="A" />\n\nThree';
    const before = known(classic);
    const [text, ...others] = sectionsOf(before);
    const edited: Section = { id: 'sec_1', type: 'text', fields: { body: `${bodyOf(text)}\n\n**New**` } };
    const added: Section = { id: 'new', type: 'faq', fields: { items: [{ question: 'Q?', answer: 'A' }] } };
    const { raw } = compose([edited, ...others, added], before);
    expect(raw).not.toContain('<!--');
    expect(raw.startsWith('One\nline\n\nTwo\n\n')).toBe(true);
    expect(raw).toContain('\n\n<img src="/a.png" alt="A" />\n\nThree\n\n');
    expect(readAgain(raw)).toEqual(contentOf([edited, ...others, added]));
    const list: Section = { id: 'list', type: 'posts-list', fields: { count: 3 } };
    const blocks = compose([edited, ...others, list], before).raw;
    expect(blocks).toContain('<!-- wp:paragraph -->\n<p>One<br>line</p>');
    expect(readAgain(blocks)).toEqual(contentOf([edited, ...others, list]));
  });

  it('a page of ours alone is blocks', () => {
    const section: Section = { id: 'a', type: 'text', fields: { body: 'Hello' } };
    expect(compose([section], [])).toEqual({
      raw: paragraph('Hello'),
      known: [{ sectionId: 'a', raw: paragraph('Hello'), type: 'text', fields: { body: 'Hello' } }],
    });
  });
});

describe('alignSections', () => {
  const segment = (heading: string, body = '') => ({
    raw: `${heading}:${body}\n\n`,
    type: 'text' as const,
    fields: { heading, body },
  });
  const ids = (headings: readonly string[]) => headings.map((heading) => ({ ...segment(heading), sectionId: heading }));
  const aligned = (before: readonly string[], after: ReturnType<typeof segment>[]) =>
    alignSections(ids(before), after, () => 'new').map(({ sectionId }) => sectionId);

  it('finds what is the same wherever it went', () => {
    expect(aligned(['a', 'b', 'c', 'd'], [segment('d'), segment('a'), segment('x'), segment('c')])).toEqual([
      'd',
      'a',
      'b',
      'c',
    ]);
  });

  it('knows an edited section by its name before its place', () => {
    expect(aligned(['a', 'b', 'c'], [segment('b', 'edited'), segment('c')])).toEqual(['b', 'c']);
    expect(aligned(['a', 'b'], [segment('a'), segment('n', 'new'), segment('b', 'edited')])).toEqual(['a', 'new', 'b']);
    expect(aligned(['a', 'b'], [segment('a'), segment('renamed')])).toEqual(['a', 'b']);
  });

  it('assigns each known id once, to equal content', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 }), (headings) => {
        let count = 0;
        const segments = headings.map((heading) => segment(heading));
        const found = alignSections(ids(['a', 'b', 'c', 'd']), segments, () => `new${(count += 1)}`);
        const given = found.map(({ sectionId }) => sectionId);
        expect(new Set(given).size).toBe(given.length);
        for (const id of headings.filter((name) => name !== 'e')) {
          expect(headings[given.indexOf(id)]).toBe(id);
        }
      }),
    );
  });
});
