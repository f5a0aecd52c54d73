import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { markdownHtml } from '#server/markup/markdown-html';
import { limitedMarkdown } from '#server/markup/markdown-limits';
import { remarkMarkdown } from '#server/markup/markdown-dialect';

const many = (piece: (number: number) => string, times: number) =>
  Array.from({ length: times }, (_, n) => piece(n)).join('');

/** What articles are made of, some 50,000 characters each. */
const honest: Record<string, string> = {
  prose: many(
    (n) =>
      `Paragraph ${n} has *some* words, **more** of them and [a link](https://a.example/x-${n}?y=1), \`code\` too.\n\n`,
    450,
  ),
  'a long list': many((n) => `- **Item ${n}**: what it is, with [a link](/x/${n})\n`, 800),
  'a list of lists': many((n) => `- one ${n}\n  - two\n    - three\n`, 400),
  'code without empty lines': `\`\`\`ts\n${many((n) => `  const a${n} = b[${n}]['x'] * c_${n} < d ? [e] : \`f\`;\n`, 900)}\`\`\``,
  'a large table': `| a | b | c | d |\n| - | - | - | - |\n${many((n) => `| **${n}** | [x](/${n}) | \`y\` | z |\n`, 1_200)}`,
  'many footnotes': many((n) => `Words[^${n}].\n\n[^${n}]: The note.\n\n`, 400),
  'paragraphs on one line': many((n) => `Paragraph ${n} has some words, who wrote them, and [why](/x). `, 120),
  'words in one paragraph': many(
    (n) => `Sentence ${n}, when it is whole, has what (some) writers want it to have. `,
    650,
  ),
  'lines of a poem': many((n) => `A line of a poem, number ${n}\n`, 1_500),
};

describe('markdown', () => {
  it.each(Object.entries(honest))('is read whole where it is %s', (_, text) => {
    expect(markdownHtml(text)).toBe(micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));
  });

  it.each([
    ['emphasis', '*a_ '.repeat(12_000)],
    ['closing brackets', ']'.repeat(40_000)],
    ['words after an open bracket', `[${'a '.repeat(20_000)}`],
    ['words after an open bracket that looks closed', `[ \`]\` ${'a '.repeat(20_000)}`],
    ['escapes between words', ' |!\\['.repeat(6_000)],
    ['titles that never end', '[a](b (c '.repeat(5_000)],
    ['comments that never end', 'a<!--b'.repeat(8_000)],
    ['an address of stops', `www.a.b/${'!'.repeat(40_000)}a`],
    ['levels', '> '.repeat(51)],
    ['levels and lines', `${'>'.repeat(45)}a\n${'a\n'.repeat(20_000)}`],
    ['cells', `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|\n${'|\n'.repeat(5_000)}`],
    ['names of a long definition', `[a]: /${'x'.repeat(20_000)}\n\n${'[a] '.repeat(5_000)}`],
    ['paragraphs', 'a\n\n'.repeat(15_000)],
    ['headings', 'a\n=\n'.repeat(12_000)],
  ])('is shown as source where it has too many %s', (_, text) => {
    expect(markdownHtml(text)).toBeNull();
    expect(unified().use(remarkParse).use(remarkMarkdown).use(limitedMarkdown).parse(text).children).toMatchObject([
      { type: 'paragraph', children: [{ type: 'text', value: text }], position: { end: { offset: text.length } } },
    ]);
  });

  it('is parsed in time proportional to its length', () => {
    expect(markdownHtml(`${'> '.repeat(49)}x`)).toContain('x');
    expect(markdownHtml(`${'1. '.repeat(16)}x`)).toContain('x');
  });

  it('counts each paragraph by itself', () => {
    const paragraph = `${'**a** [b](/c) '.repeat(20)}\n\n`;
    expect(markdownHtml(paragraph.repeat(100))).toContain('<strong>');
    expect(markdownHtml(paragraph.repeat(100).replaceAll('\n\n', ' '))).toBeNull();
  });
});
