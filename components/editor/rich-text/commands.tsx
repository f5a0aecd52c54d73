import { autoJoin, chainCommands, exitCode, lift, toggleMark, wrapIn } from 'prosemirror-commands';
import type { Node, NodeType, ResolvedPos } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import { type Command, type EditorState, TextSelection } from 'prosemirror-state';
import { isLinkAddress, schema } from '#components/editor/rich-text/schema';

const { nodes, marks } = schema;

/** Depth of the innermost node around a position for which `is` says yes; 0: none is. */
function depthOf($from: ResolvedPos, is: (node: Node) => boolean): number {
  let depth = $from.depth;
  while (depth > 0 && !is($from.node(depth))) depth -= 1;
  return depth;
}

function isList(node: Node): boolean {
  return node.type === nodes.bullet_list || node.type === nodes.ordered_list;
}

/** Blocks around the cursor, as the toolbar shows them. */
export interface Around {
  readonly isStrong: boolean;
  readonly isEm: boolean;
  /** Address of the link that the cursor is in. */
  readonly link: string | null;
  readonly isHeading: boolean;
  readonly isBullets: boolean;
  readonly isNumbers: boolean;
  readonly isQuote: boolean;
  /** Markdown as it is written, or code: nothing in it can be formatted. */
  readonly isPlain: boolean;
}

/** Describes what is around the cursor. */
export function around(state: EditorState): Around {
  const { $from, from, to, empty } = state.selection;
  const has = (type: (typeof marks)[keyof typeof marks]) =>
    empty ? type.isInSet(state.storedMarks ?? $from.marks()) !== undefined : state.doc.rangeHasMark(from, to, type);
  const list = $from.node(depthOf($from, isList));
  return {
    isStrong: has(marks.strong),
    isEm: has(marks.em),
    link: linkAt(state)?.href ?? null,
    isHeading: $from.parent.type === nodes.heading,
    isBullets: list.type === nodes.bullet_list,
    isNumbers: list.type === nodes.ordered_list,
    isQuote: depthOf($from, ({ type }) => type === nodes.blockquote) > 0,
    isPlain: $from.parent.type.spec.code === true,
  };
}

export const toggleStrong = toggleMark(marks.strong);
export const toggleEm = toggleMark(marks.em);

/** Turns the paragraphs that are selected into headings, or back. */
export const toggleHeading: Command = (state, dispatch) => {
  const { from, to } = state.selection;
  const isHeading = around(state).isHeading;
  const type = isHeading ? nodes.paragraph : nodes.heading;
  const transaction = state.tr.setBlockType(from, to, type, ({ attrs }) => ({
    source: attrs['source'] as number | null,
    ...(!isHeading && { level: 1 }),
  }));
  if (!transaction.docChanged) return false;
  dispatch?.(transaction.scrollIntoView());
  return true;
};

function toggleList(type: NodeType): Command {
  const wrap = autoJoin(wrapInList(type), (before, after) => before.type === type && after.type === type);
  return (state, dispatch) => {
    const { $from } = state.selection;
    const depth = depthOf($from, isList);
    if (depth === 0) return wrap(state, dispatch);
    const list = $from.node(depth);
    if (list.type === type) return liftListItem(nodes.list_item)(state, dispatch);
    const { source, isTight } = list.attrs as { source: number | null; isTight: boolean };
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), type, { source, isTight }));
    return true;
  };
}

export const toggleBullets = toggleList(nodes.bullet_list);
export const toggleNumbers = toggleList(nodes.ordered_list);

/** Puts what is selected into a quotation, or takes it out of one. */
export const toggleQuote: Command = (state, dispatch) =>
  (around(state).isQuote ? lift : wrapIn(nodes.blockquote))(state, dispatch);

export const newLine: Command = chainCommands(exitCode, (state, dispatch) => {
  if (around(state).isPlain) return false;
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
});

export const newItem = splitListItem(nodes.list_item);
export const indentItem = sinkListItem(nodes.list_item);
export const outdentItem = liftListItem(nodes.list_item);

interface LinkRange {
  readonly from: number;
  readonly to: number;
  readonly href: string;
}

/** The link that the cursor is in, or in which the selection begins. */
function linkAt({ selection: { $from } }: EditorState): LinkRange | null {
  const mark = marks.link.isInSet($from.marks()) ?? marks.link.isInSet($from.nodeAfter?.marks ?? []);
  if (mark === undefined) return null;
  const { parent } = $from;
  let [first, last] = [$from.index(), $from.index()];
  if (first === parent.childCount || !mark.isInSet(parent.child(first).marks)) first = last = first - 1;
  while (first > 0 && mark.isInSet(parent.child(first - 1).marks)) first -= 1;
  while (last < parent.childCount - 1 && mark.isInSet(parent.child(last + 1).marks)) last += 1;
  let from = $from.start();
  for (let index = 0; index < first; index += 1) from += parent.child(index).nodeSize;
  let to = from;
  for (let index = first; index <= last; index += 1) to += parent.child(index).nodeSize;
  return { from, to, href: String(mark.attrs['href']) };
}

/**
 * Leads what is selected, or the link that the cursor is in, to an address; null: to none.
 * @param words for a link where nothing is selected
 */
export function setLink(href: string | null, words: string): Command {
  return (state, dispatch) => {
    const { from, to, empty } = state.selection;
    if (around(state).isPlain || (href !== null && !isLinkAddress(href))) return false;
    const known = linkAt(state);
    const range = empty ? known : { from: Math.min(from, known?.from ?? from), to };
    if (range === null && href === null) return false;
    const transaction = state.tr;
    if (range === null && href !== null) {
      transaction.replaceSelectionWith(schema.text(words, [marks.link.create({ href })]), false);
    } else if (range !== null) {
      transaction.removeMark(range.from, range.to, marks.link);
      if (href !== null) transaction.addMark(range.from, range.to, marks.link.create({ href }));
      transaction.setSelection(TextSelection.create(transaction.doc, range.to));
    }
    dispatch?.(transaction.scrollIntoView());
    return true;
  };
}
