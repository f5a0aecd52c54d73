import fc from 'fast-check';
import { EditorState } from 'prosemirror-state';
import type { Node } from 'prosemirror-model';
import { describe, expect, it } from 'vitest';
import { countBlocks, readMarkdown } from '#components/editor/rich-text/read-markdown.ts';
import { schema } from '#components/editor/rich-text/schema.ts';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown.ts';
import { arbitraryMarkdown } from '#tests/support/arbitrary-markdown';
import { markdownCases, markedTexts } from '#tests/support/markdown-cases';
import { isDeep } from '#tests/support/deep';

const RUNS = isDeep ? 10_000 : 300;
/** Each reads and writes the text several times. */
const EDITS = isDeep ? 4_000 : 150;

function untouched(markdown: string): string {
  const read = readMarkdown(markdown);
  return writeMarkdown(read, read.doc);
}

/** Places in the text of a document where a word can be typed: of each top block that is not shown as source. */
function textblocks(doc: Node): { readonly top: number; readonly at: number }[] {
  const found: { top: number; at: number }[] = [];
  doc.forEach((block, offset, top) => {
    if (block.type === schema.nodes.source) return;
    doc.nodesBetween(offset, offset + block.nodeSize, (node, position) => {
      if (node.isTextblock) found.push({ top, at: position + 1 + node.content.size });
      return true;
    });
  });
  return found;
}

function typed(doc: Node, at: number, text: string): Node {
  const state = EditorState.create({ doc });
  return state.apply(state.tr.insertText(text, at)).doc;
}

const cellText = fc.stringMatching(/^[a-z*_ ]{0,6}$/);

/** A table within an item of a list, or a quotation, to some depth. */
const nestedTable = fc
  .tuple(
    fc.array(fc.tuple(cellText, cellText), { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom('> ', '- ', '1. '), { minLength: 1, maxLength: 3 }),
  )
  .map(([rows, markers]) => {
    const lines = ['| a | b |', '| :- | -: |', ...rows.map(([left, right]) => `| ${left} | ${right} |`)];
    return markers
      .reduceRight(
        (inner, marker) =>
          inner.map((line, index) => (index === 0 || marker === '> ' ? marker : ' '.repeat(marker.length)) + line),
        lines,
      )
      .join('\n');
  });

describe('Markdown that is read to be edited', () => {
  it('is returned to the character if nothing was edited', () => {
    fc.assert(
      fc.property(arbitraryMarkdown, (markdown) => {
        expect(untouched(markdown)).toBe(markdown);
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps tables in lists and quotations when another block is edited', () => {
    fc.assert(
      fc.property(nestedTable, fc.nat(), (nested, choice) => {
        const markdown = `Before.\n\n${nested}\n\nAfter.`;
        const read = readMarkdown(markdown);
        expect(writeMarkdown(read, read.doc)).toBe(markdown);
        const places = textblocks(read.doc);
        const place = places[choice % places.length]!;
        const result = writeMarkdown(read, typed(read.doc, place.at, ' more'));
        expect(result).toBe(place.top === 0 ? `Before. more\n\n${nested}\n\nAfter.` : `${markdown} more`);
      }),
      { numRuns: EDITS },
    );
  });

  it('changes only in the block that was edited, and is read again as it was edited', () => {
    fc.assert(
      fc.property(arbitraryMarkdown, fc.nat(), fc.constantFrom('x', ' more words', ' *'), (markdown, choice, text) => {
        const read = readMarkdown(markdown);
        const places = textblocks(read.doc);
        const place = places[choice % Math.max(1, places.length)];
        if (place === undefined || read.blocks.length === 0) return;
        // Indented code after a list has to be written in another way where the list's last item gets words.
        if (/^(?: {4}|\t)/.test(read.blocks[place.top + 1]?.text ?? '')) return;
        const edited = typed(read.doc, place.at, text);
        const result = writeMarkdown(read, edited);
        const whole = (from: number, to?: number) =>
          read.blocks.slice(from, to).map((block) => block.text + block.after);
        const before = read.before + whole(0, place.top).join('');
        const after = [read.blocks[place.top]?.after ?? '', ...whole(place.top + 1)].join('');
        expect(result.startsWith(before)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
        expect(result.length).toBeGreaterThanOrEqual(before.length + after.length);
        const [wanted, again] = [edited.child(place.top), readMarkdown(result).doc.child(place.top)];
        // Spaces at the beginning or end of a paragraph go.
        const wordsOf = (node: Node) => node.textContent.replace(/\s/g, '');
        expect([again.type.name, wordsOf(again)]).toEqual([wanted.type.name, wordsOf(wanted)]);
      }),
      { numRuns: EDITS },
    );
  });

  it.each([
    ['', ''],
    ['\n\n', '\n\n'],
    ['\ufeffOne\n', '\ufeffOne\n'],
    ['a\r\n\r\n\r\nb\r\n', 'a\r\n\r\n\r\nb\r\n'],
    ['- a\n* b\n+ c', '- a\n* b\n+ c'],
    ['Setext\n===\nbelow', 'Setext\n===\nbelow'],
    ['*a*_b_ __c__', '*a*_b_ __c__'],
    ['```js\nnever closed', '```js\nnever closed'],
  ])('returns %j unchanged', (markdown, result) => expect(untouched(markdown)).toBe(result));

  it('shows syntax that the editor does not support as source text', () => {
    const markdown = [
      'Words',
      '| a |\n| - |\n| b |',
      '<div>\n<b>x</b>\n</div>',
      '- [ ] to do',
      '[^1]: A note',
      '[ref]: https://a.example',
    ].join('\n\n');
    const kinds = readMarkdown(markdown).doc.children.map((node) => node.type.name);
    expect(kinds).toEqual(['paragraph', 'table', 'source', 'source', 'source', 'source']);
  });

  it('keeps HTML, footnotes and links by reference of a paragraph that is edited', () => {
    const markdown = 'A <u>b</u> and [c][ref], see[^1].\n\n[ref]: https://a.example\n\n[^1]: Note';
    const read = readMarkdown(markdown);
    const { at } = textblocks(read.doc)[0] ?? { at: 0 };
    expect(writeMarkdown(read, typed(read.doc, at, ' More.'))).toBe(markdown.replace('[^1].', '[^1]. More.'));
  });

  it('keeps the lines of a paragraph that is edited', () => {
    const markdown = '- one **two\r\n  three** four\r\n  five\r\n\r\nEnd\r\n';
    const read = readMarkdown(markdown);
    const { at } = textblocks(read.doc)[0] ?? { at: 0 };
    expect(writeMarkdown(read, typed(read.doc, at, '!'))).toBe(markdown.replace('five', 'five!'));
  });

  it('parts blocks that would be one', () => {
    const read = readMarkdown('- a\n\n```\nopen');
    const { nodes } = schema;
    const item = nodes.list_item.create(null, nodes.paragraph.create(null, schema.text('new')));
    const list = nodes.bullet_list.create(null, item);
    const last = nodes.paragraph.create(null, schema.text('end'));
    const doc = schema.nodes.doc.create(null, [read.doc.child(0), list, read.doc.child(1), last]);
    const result = writeMarkdown(read, doc);
    expect(result).toBe('- a\n\n* new\n\n```\nopen\n```\n\nend');
    expect(countBlocks(result)).toBe(4);
  });

  it('writes no trailing spaces in lines or emphasis while text is being typed', () => {
    const read = readMarkdown('one **two**');
    const state = EditorState.create({ doc: read.doc });
    const strong = schema.marks.strong.create();
    const doc = state.apply(state.tr.insert(8, [schema.text(' ', [strong]), schema.text(' ')])).doc;
    expect(writeMarkdown(read, doc)).toBe('one **two**');
  });

  it.each(markdownCases)('has the marks that the site shows, before and after an edit: %s', (_, markdown, html) => {
    const marks = (doc: Node) =>
      textblocks(doc)
        .map(({ at }) => doc.resolve(at).parent)
        .flatMap((block) => block.children)
        .filter((node) => node.marks.some((mark) => mark.type !== schema.marks.line_end))
        .map((node) => node.text);
    const read = readMarkdown(markdown);
    expect(marks(read.doc)).toEqual(markedTexts(html));
    const { at } = textblocks(read.doc)[0] ?? { at: 0 };
    const edited = readMarkdown(writeMarkdown(read, typed(read.doc, at, ' more')));
    expect(edited.doc.textContent).toBe(typed(read.doc, at, ' more').textContent);
  });
});
