import { type Command, EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import { expect, it } from 'vitest';
import { cursorContext, indentItem, outdentNested, setPicture } from '#components/editor/rich-text/commands.ts';
import { readMarkdown } from '#components/editor/rich-text/read-markdown.ts';
import { tableCommands } from '#components/editor/rich-text/table-commands.ts';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown.ts';

/** The state of a text with the cursor in a word. */
function stateAt(markdown: string, word: string): EditorState {
  const { doc } = readMarkdown(markdown);
  let place = -1;
  doc.descendants((node, position) => {
    if (node.isText && node.text === word) place = position;
  });
  return EditorState.create({ doc, selection: TextSelection.create(doc, place + 1) });
}

it.each([
  ['- one\n- two', 'two', true],
  ['- one\n- two', 'one', false],
  ['1. one\n2. two', 'two', true],
  ['one', 'one', false],
])('indents an item of a list: %j at %s', (markdown, word, isPossible) => {
  expect(indentItem(stateAt(markdown, word))).toBe(isPossible);
});

it.each([
  ['- one\n  - two', 'two', true],
  ['- one\n- two', 'two', false],
  ['one', 'one', false],
])('outdents an item within an item only: %j at %s', (markdown, word, isPossible) => {
  expect(outdentNested(stateAt(markdown, word))).toBe(isPossible);
});

/** The Markdown of a text after a command. */
function changed(markdown: string, state: EditorState, command: Command): string {
  let result = state;
  command(state, (transaction) => (result = state.apply(transaction)));
  return writeMarkdown(readMarkdown(markdown), result.doc);
}

/** The state of a text whose picture is selected. */
function withPicture(markdown: string): EditorState {
  const { doc } = readMarkdown(markdown);
  let place = -1;
  doc.descendants((node, position) => {
    if (node.type.name === 'image') place = position;
  });
  return EditorState.create({ doc, selection: NodeSelection.create(doc, place) });
}

const kiln = { src: '/media/1', alt: 'Kiln', caption: '' };

it('inserts a picture as a paragraph of its own, and within a cell of a table', () => {
  const state = stateAt('one two', 'one two');
  const after = state.apply(state.tr.setSelection(TextSelection.create(state.doc, 4)));
  expect(changed('one two', after, setPicture(kiln))).toBe('one\n\n![Kiln](/media/1)\n\ntwo');
  const atEnd = state.apply(state.tr.setSelection(TextSelection.atEnd(state.doc)));
  let inserted = atEnd;
  setPicture(kiln)(atEnd, (transaction) => (inserted = atEnd.apply(transaction)));
  // The cursor is behind the picture.
  expect(inserted.selection).toBeInstanceOf(TextSelection);
  expect(inserted.selection.$from.nodeBefore?.type.name).toBe('image');
  const table = '| a |\n| - |\n| b |';
  expect(changed(table, stateAt(table, 'b'), setPicture(kiln))).toContain('| b![Kiln](/media/1) |');
  expect(setPicture(kiln)(stateAt('```\ncode\n```', 'code'))).toBe(false);
});

it('changes description and caption, and moves a picture with a caption out of its line', () => {
  const alone = '![K](/media/1 "Old")';
  expect(cursorContext(withPicture(alone)).picture).toEqual({ src: '/media/1', alt: 'K', caption: 'Old' });
  const captioned = { ...kiln, caption: 'The "big" kiln' };
  expect(changed(alone, withPicture(alone), setPicture(captioned))).toBe('![Kiln](/media/1 "The \\"big\\" kiln")');
  expect(changed(alone, withPicture(alone), setPicture(kiln))).toBe('![Kiln](/media/1)');
  const within = 'one ![K](/media/1) two';
  expect(changed(within, withPicture(within), setPicture(kiln))).toBe('one ![Kiln](/media/1) two');
  expect(changed(within, withPicture(within), setPicture(captioned))).toBe(
    'one\n\n![Kiln](/media/1 "The \\"big\\" kiln")\n\ntwo',
  );
});

it('keeps the link of a picture whose description or caption changes', () => {
  const linked = '[![K](/media/1)](/about)';
  expect(changed(linked, withPicture(linked), setPicture(kiln))).toBe('[![Kiln](/media/1)](/about)');
  const within = 'one [![K](/media/1)](/about) two';
  expect(changed(within, withPicture(within), setPicture({ ...kiln, caption: 'May' }))).toBe(
    'one\n\n[![Kiln](/media/1 "May")](/about)\n\ntwo',
  );
});

it('moves a row or a column of a table with the cursor in it, and not beyond its edge', () => {
  const table = '| a | b |\n| - | -: |\n| c | d |\n| e | f |';
  const after = (word: string, name: keyof typeof tableCommands) =>
    changed(table, stateAt(table, word), tableCommands[name]);
  expect(after('e', 'rowUp')).toBe('| a | b |\n| - | -: |\n| e | f |\n| c | d |');
  expect(after('c', 'rowDown')).toBe('| a | b |\n| - | -: |\n| e | f |\n| c | d |');
  expect(after('d', 'columnLeft')).toBe('| b | a |\n| -: | - |\n| d | c |\n| f | e |');
  expect(tableCommands.rowDown(stateAt(table, 'e'))).toBe(false);
  expect(tableCommands.columnLeft(stateAt(table, 'c'))).toBe(false);
});
