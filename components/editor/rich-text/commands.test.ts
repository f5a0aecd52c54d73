import { EditorState, TextSelection } from 'prosemirror-state';
import { expect, it } from 'vitest';
import { indentItem, outdentNested } from '#components/editor/rich-text/commands.ts';
import { readMarkdown } from '#components/editor/rich-text/read-markdown.ts';

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
