import fc from 'fast-check';
import type { Element, RootContent } from 'hast';
import { deleteSelection } from 'prosemirror-commands';
import { history, undo } from 'prosemirror-history';
import { Fragment, type Mark, type Node, Slice } from 'prosemirror-model';
import { type Command, EditorState, TextSelection } from 'prosemirror-state';
import { CellSelection, TableMap } from 'prosemirror-tables';
import { expect, it } from 'vitest';
import { cleanPaste } from '#components/editor/rich-text/clean-paste.ts';
import { toggleCode, toggleStrike, toggleStrong } from '#components/editor/rich-text/commands.ts';
import { readMarkdown } from '#components/editor/rich-text/read-markdown.ts';
import { schema } from '#components/editor/rich-text/schema.ts';
import {
  cellBelow,
  insertTable,
  nextCell,
  previousCell,
  tableCommands,
} from '#components/editor/rich-text/table-commands.ts';
import { sliceForCell, tablePlugins } from '#components/editor/rich-text/table-rules.ts';
import { blockText } from '#components/editor/rich-text/write-block.ts';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown.ts';
import { attribute, childrenOf, isElement, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { alignSections } from '#server/wordpress/blocks/align-sections';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { markdownToBlocks, markdownToHtml } from '#server/wordpress/blocks/from-markdown';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import type { Section } from '#server/core/site/content';

const OPERATIONS = 2_000;
const OPERATIONS_PER_TEXT = 8;

const { nodes, marks } = schema;

const WORDS =
  'a|two words||back\\slash|`|*|_x_|[x]|<br>|<b>|1.|-|---|:-:|#|日本語|👩‍🎨|20 €|~|&amp;|https://a.example/?b';
const words = fc.constantFrom(...WORDS.split('|'), 'a | b', '\\|', '|');
const markdownCell = fc.oneof(
  words.map((text) => text.replace(/[\\|`*_[\]<>~&#]/g, (sign) => `\\${sign}`)),
  fc.constantFrom('**b**', '~~s~~', '`a \\| b`', '[l](/x)', '![p](/media/1)', '<u>u</u>', '**x** *y*', '[^1]'),
);

function rowText(cells: readonly string[]): string {
  return `|${cells.join('|')}|`;
}

const table = fc.integer({ min: 1, max: 4 }).chain((width) => {
  const row = fc.array(markdownCell, { minLength: width, maxLength: width });
  const marker = fc.constantFrom('-', ':-', '-:', ':-:', '---');
  return fc
    .tuple(row, fc.array(marker, { minLength: width, maxLength: width }), fc.array(row, { maxLength: 4 }))
    .map(([head, separator, body]) => [head, separator, ...body].map(rowText).join('\n'));
});

const paragraph = fc.constantFrom('Text *before*.', '- item\n- item', '## Heading', '> quote');
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: table }, paragraph), { minLength: 1, maxLength: 4 })
  .map((blocks) => blocks.join('\n\n'));

interface Choice {
  readonly kind: 'type' | 'command' | 'mark' | 'paste' | 'clear' | 'undo' | 'insert';
  readonly place: number;
  readonly which: number;
  readonly words: string;
  readonly html: string;
}

/** Tables as programs put them on the clipboard. */
const html = fc
  .record({
    rows: fc.array(fc.array(words, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    program: fc.constantFrom('excel', 'word', 'docs', 'sheets'),
    span: fc.constantFrom('', '', ' colspan=2', ' rowspan=2', ' rowspan=3 colspan=2'),
  })
  .map(({ rows, program, span }) => {
    const escaped = (word: string) => word.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const cellOf = (word: string, index: number) => {
      const attributes = index === 1 ? span : '';
      const inner = escaped(word);
      if (program === 'excel') return `<td${attributes} class=xl65 align=right width=64>${inner}<br>more</td>`;
      if (program === 'word') {
        return `<td${attributes} valign=top style='border:solid'><p class=MsoNormal align=center style='text-align:center'><b>${inner}<o:p></o:p></b></p><p class=MsoNormal>${inner}</p></td>`;
      }
      if (program === 'docs') {
        return `<td${attributes} style="border:1px"><p dir="ltr" style="text-align:right"><span style="font-weight:700">${inner}</span></p></td>`;
      }
      return `<td${attributes} style="font-weight:bold;text-align:center" data-sheets-value="{}">${inner}</td>`;
    };
    const body = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('\n');
    return `<html><body><table><colgroup><col><col></colgroup><tbody>${body}</tbody></table></body></html>`;
  });

const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.constantFrom('type', 'command', 'command', 'command', 'mark', 'paste', 'paste', 'clear', 'undo', 'insert'),
  place: fc.nat(),
  which: fc.nat(),
  words,
  html,
});

/** What a browser and prosemirror-model make of cleaned HTML, as far as tables consist of it. */
function inlineOf(node: RootContent, set: readonly Mark[]): Node[] {
  if (node.type === 'text') return node.value === '' ? [] : [schema.text(node.value.replace(/\s+/g, ' '), set)];
  if (!isElement(node)) return [];
  const type = { strong: marks.strong, em: marks.em, s: marks.strike, code: marks.code }[node.tagName];
  const within = type === undefined ? set : type.create().addToSet(set);
  return node.children.flatMap((child) => inlineOf(child, within));
}

function pasted(source: string): Slice {
  const root = parseHtmlWithinLimits(cleanPaste(source).html);
  const blocks = (root === null ? [] : childrenOf(root)).map((node): Node => {
    if (!isElement(node, 'table')) return nodes.paragraph.create(null, inlineOf(node, []));
    const rows = node.children
      .flatMap((part): RootContent[] => (isElement(part, 'tbody') ? part.children : [part]))
      .filter((row): row is Element => isElement(row));
    return nodes.table.createChecked(
      null,
      rows.map((row) =>
        nodes.table_row.createChecked(
          null,
          row.children
            .filter((cell): cell is Element => isElement(cell))
            .map((cell) =>
              (cell.tagName === 'th' ? nodes.table_header : nodes.table_cell).createChecked(
                { align: attribute(cell, 'align') ?? null },
                cell.children.flatMap((child) => inlineOf(child, [])),
              ),
            ),
        ),
      ),
    );
  });
  return new Slice(Fragment.from(blocks), 0, 0);
}

function run(state: EditorState, command: Command): EditorState {
  let next = state;
  command(state, (transaction) => (next = state.apply(transaction)));
  return next;
}

/** Puts the cursor, or a selection of cells, at a random place; mostly into a table. */
function placed(state: EditorState, place: number): EditorState {
  const cells: number[] = [];
  const texts: number[] = [];
  state.doc.descendants((node, position) => {
    if (node.type === nodes.table_cell || node.type === nodes.table_header) cells.push(position);
    else if (node.isTextblock) texts.push(position + 1 + node.content.size);
  });
  const cell = cells[place % Math.max(1, cells.length)];
  if (cell === undefined || place % 7 === 0) {
    const at = texts[place % Math.max(1, texts.length)] ?? 1;
    return state.apply(state.tr.setSelection(TextSelection.near(state.doc.resolve(at))));
  }
  if (place % 5 !== 0) return state.apply(state.tr.setSelection(TextSelection.create(state.doc, cell + 1)));
  const $cell = state.doc.resolve(cell);
  const map = TableMap.get($cell.node(-1));
  const other = map.map[place % map.map.length] ?? 0;
  return state.apply(state.tr.setSelection(CellSelection.create(state.doc, cell, $cell.start(-1) + other)));
}

/** Pastes as the editor does; prosemirror-tables pastes cells into cells with its own handler. */
function paste(state: EditorState, slice: Slice): EditorState {
  const line = sliceForCell(state, slice);
  if (line !== null) return state.apply(state.tr.replaceSelection(line.slice));
  let next = state;
  const view = {
    state,
    dispatch: (transaction: Parameters<EditorState['apply']>[0]) => (next = state.apply(transaction)),
  };
  const isHandled = state.plugins.some(
    (plugin) => plugin.props.handlePaste?.call(plugin, view as never, {} as never, slice) === true,
  );
  return isHandled ? next : state.apply(state.tr.replaceSelection(slice));
}

const commands: readonly Command[] = [...Object.values(tableCommands), nextCell, previousCell, cellBelow];

function apply(state: EditorState, { kind, place, which, words: typed, html: source }: Choice): EditorState {
  const there = placed(state, place);
  switch (kind) {
    case 'type':
      return typed === '' ? there : there.apply(there.tr.replaceSelectionWith(schema.text(typed), true));
    case 'command':
      return run(there, commands[which % commands.length]!);
    case 'mark':
      return run(there, [toggleStrong, toggleStrike, toggleCode][which % 3]!);
    case 'paste':
      return paste(there, pasted(source));
    case 'clear':
      return run(there, deleteSelection);
    case 'insert':
      return run(there, insertTable);
    case 'undo':
      return run(there, undo);
  }
}

const tablesOf = (doc: Node) => doc.children.filter(({ type }) => type === nodes.table);
const lettersOf = (node: Node) => node.textContent.replace(/\s/g, '');

/** Each table is one that Markdown has, and is read again as it was written. */
function expectRoundTrip(read: ReturnType<typeof readMarkdown>, doc: Node): string {
  doc.check();
  const markdown = writeMarkdown(read, doc);
  const again = readMarkdown(markdown).doc;
  const [written, found] = [tablesOf(doc), tablesOf(again)];
  expect(
    found.map((node) => blockText(node)),
    markdown,
  ).toEqual(written.map((node) => blockText(readMarkdown(blockText(node)).doc.child(0))));
  expect(found.map(lettersOf), markdown).toEqual(written.map(lettersOf));
  const shapeOf = (node: Node) =>
    node.children.map((row) => row.children.map((cell) => [cell.type.name, cell.attrs['align'] as unknown]));
  expect(found.map(shapeOf), markdown).toEqual(written.map(shapeOf));
  return markdown;
}

it(`keeps tables through ${OPERATIONS.toLocaleString('en')} random operations and pastes`, () => {
  fc.assert(
    fc.property(
      text,
      fc.array(choice, { minLength: OPERATIONS_PER_TEXT, maxLength: OPERATIONS_PER_TEXT }),
      (markdown, choices) => {
        const read = readMarkdown(markdown);
        let state = EditorState.create({ doc: read.doc, plugins: [...tablePlugins, history()] });
        for (const next of choices) {
          state = apply(state, next);
          expectRoundTrip(read, state.doc);
        }
      },
    ),
    { numRuns: OPERATIONS / OPERATIONS_PER_TEXT },
  );
});

/** A table that WordPress stores with what Markdown has no words for. */
const FOREIGN =
  '<!-- wp:table {"hasFixedLayout":false,"backgroundColor":"pale-pink","className":"is-style-stripes","acme":1} -->\n<figure class="wp-block-table is-style-stripes"><table class="has-pale-pink-background-color has-background"><thead><tr><th>Wheel</th><th>Hours</th></tr></thead><tbody><tr><td>Small<br>one</td><td class="has-text-align-right" data-align="right"><mark style="color:#a00">3</mark></td></tr></tbody></table><figcaption class="wp-element-caption">Kept</figcaption></figure>\n<!-- /wp:table -->';
/** What the save function of WordPress's table block writes. */
const VALID =
  /^<!-- wp:table (?:\{[^\n]*\} )?-->\n<figure class="wp-block-table[^"]*"><table(?: class="[^"]*")?>(?:<thead>(?:<tr>(?:<t[hd][^>]*>.*?<\/t[hd]>)+<\/tr>)+<\/thead>)?(?:<tbody>(?:<tr>(?:<t[hd][^>]*>.*?<\/t[hd]>)+<\/tr>)+<\/tbody>)?<\/table>(?:<figcaption[^>]*>.*?<\/figcaption>)?<\/figure>\n<!-- \/wp:table -->$/s;

function bodyOf(section: Pick<Section, 'fields'> | undefined): string {
  const body = section?.fields['body'];
  return typeof body === 'string' ? body : '';
}

it('leaves tables of WordPress unchanged to the byte, and writes valid blocks for changed ones', () => {
  fc.assert(
    fc.property(table, fc.array(choice, { minLength: 1, maxLength: 3 }), (markdown, choices) => {
      const own = markdownToBlocks(markdown, plainContext).map(({ raw }) => raw);
      const raw = [FOREIGN, ...own, '<!-- wp:paragraph -->\n<p>End</p>\n<!-- /wp:paragraph -->'].join('\n\n');
      const known = alignSections([], readBlocks(raw, plainContext), () => 'sec_1');
      const [section] = known;
      fc.pre(known.length === 1 && section?.type === 'text');
      const body = bodyOf(section);
      const read = readMarkdown(body);
      let state = EditorState.create({ doc: read.doc, plugins: [...tablePlugins, history()] });
      // The table, and its caption as a paragraph.
      const foreign = read.doc.children.slice(0, 2);
      for (const next of choices) state = apply(state, next);
      fc.pre(foreign.every((block) => state.doc.children.some((other) => other.eq(block))));
      const edited = writeMarkdown(read, state.doc);
      const sections: Section[] = [{ id: 'sec_1', type: 'text', fields: { body: edited } }];
      const after = composeContent(sections, known, plainContext).raw;
      expect(after).toContain(FOREIGN);
      const blocks = after.match(/<!-- wp:table .*?<!-- \/wp:table -->/gs) ?? [];
      for (const block of blocks) expect(block).toMatch(VALID);
      const [again] = readBlocks(after, plainContext);
      const shown = (source: string) => childrenOf(markdownToHtml(source)).map(wordsOf).join('').replace(/\s/g, '');
      expect(shown(bodyOf(again))).toBe(shown(edited));
    }),
    { numRuns: 200 },
  );
});
