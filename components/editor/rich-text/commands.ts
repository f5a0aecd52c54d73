import { autoJoin, chainCommands, exitCode, lift, toggleMark, wrapIn } from 'prosemirror-commands';
import type { Node, NodeType, ResolvedPos } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import { type Command, type EditorState, NodeSelection, Selection, TextSelection } from 'prosemirror-state';
import { isInTable } from 'prosemirror-tables';
import { isLinkAddress, schema } from '#components/editor/rich-text/schema.ts';
import { type TableContext, tableContext } from '#components/editor/rich-text/table-commands.ts';

const { nodes, marks } = schema;

/** Depth of the innermost node around a position that satisfies `matches`; 0: none. */
function depthOf($from: ResolvedPos, matches: (node: Node) => boolean): number {
  let depth = $from.depth;
  while (depth > 0 && !matches($from.node(depth))) depth -= 1;
  return depth;
}

function isList(node: Node): boolean {
  return node.type === nodes.bullet_list || node.type === nodes.ordered_list;
}

/** A picture within a text. */
export interface TextPicture {
  readonly src: string;
  /** Description for people who do not see it. */
  readonly alt: string;
  /** Empty: none. */
  readonly caption: string;
}

/** Blocks and marks around the cursor, for the toolbar. */
export interface CursorContext {
  readonly isStrong: boolean;
  readonly isEm: boolean;
  readonly isStrike: boolean;
  readonly isCode: boolean;
  /** Address of the link at the cursor; null: none. */
  readonly link: string | null;
  /** Level of the heading, 1 to 6; 0 for another block. */
  readonly headingLevel: number;
  readonly isBullets: boolean;
  readonly isNumbers: boolean;
  readonly isQuote: boolean;
  /** The picture that is selected; null: none. */
  readonly picture: TextPicture | null;
  /** True for Markdown source or code, which cannot be formatted. */
  readonly isPlain: boolean;
  /** The table around the cursor; null: none. */
  readonly table: TableContext | null;
}

/** Describes the blocks and marks around the cursor. */
export function cursorContext(state: EditorState): CursorContext {
  const { $from, from, to, empty } = state.selection;
  const has = (type: (typeof marks)[keyof typeof marks]) =>
    empty ? type.isInSet(state.storedMarks ?? $from.marks()) !== undefined : state.doc.rangeHasMark(from, to, type);
  const list = $from.node(depthOf($from, isList));
  return {
    isStrong: has(marks.strong),
    isEm: has(marks.em),
    isStrike: has(marks.strike),
    isCode: has(marks.code),
    link: linkAt(state)?.href ?? null,
    headingLevel: $from.parent.type === nodes.heading ? Number($from.parent.attrs['level']) : 0,
    isBullets: list.type === nodes.bullet_list,
    isNumbers: list.type === nodes.ordered_list,
    isQuote: depthOf($from, ({ type }) => type === nodes.blockquote) > 0,
    picture: pictureOf(state),
    isPlain: isInCode($from),
    table: tableContext(state),
  };
}

function pictureOf({ selection }: EditorState): TextPicture | null {
  if (!(selection instanceof NodeSelection) || selection.node.type !== nodes.image) return null;
  const { src, alt, title } = selection.node.attrs as { src: string; alt: string; title: string | null };
  return { src, alt, caption: title ?? '' };
}

/* Commands of ProseMirror: they return false if they do not apply, and change nothing without `dispatch`. */

/** Makes the selection bold, or ends it. */
export const toggleStrong = toggleMark(marks.strong);
/** Makes the selection italic, or ends it. */
export const toggleEm = toggleMark(marks.em);

/** Strikes the selection through, or ends it. */
export const toggleStrike = toggleMark(marks.strike);
/** Makes the selection code, or ends it. */
export const toggleCode = toggleMark(marks.code);

/** Turns the selected paragraphs and headings into headings of a level, or into paragraphs; level 0 is a paragraph. */
export function setHeading(level: number): Command {
  return (state, dispatch) => {
    const { from, to } = state.selection;
    const type = level === 0 ? nodes.paragraph : nodes.heading;
    const transaction = state.tr.setBlockType(from, to, type, ({ attrs }) => ({
      source: attrs['source'] as number | null,
      ...(level > 0 && { level }),
    }));
    if (!transaction.docChanged) return false;
    dispatch?.(transaction.scrollIntoView());
    return true;
  };
}

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

/** Makes the selected blocks a bullet list, or ends it. */
export const toggleBullets = toggleList(nodes.bullet_list);
/** Makes the selected blocks a numbered list, or ends it. */
export const toggleNumbers = toggleList(nodes.ordered_list);

/** Puts the selection into a quotation, or takes it out of one. */
export const toggleQuote: Command = (state, dispatch) =>
  (cursorContext(state).isQuote ? lift : wrapIn(nodes.blockquote))(state, dispatch);

/** Inserts a line break within the block; in code, leaves the block instead. */
export const newLine: Command = chainCommands(exitCode, (state, dispatch) => {
  if (cursorContext(state).isPlain || isInTable(state)) return false;
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
});

/** Begins a new item in a list. */
export const newItem = splitListItem(nodes.list_item);
/** Makes an item part of the item before it. */
export const indentItem = sinkListItem(nodes.list_item);
/** Moves an item one level up; at the top level, out of the list. */
export const outdentItem = liftListItem(nodes.list_item);

/** Like `outdentItem`, but not at the top level of a list, so that Shift+Tab moves the focus there. */
export const outdentNested: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const levels = Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node(depth)).filter(
    ({ type }) => type === nodes.list_item,
  );
  return levels.length > 1 && outdentItem(state, dispatch);
};

interface LinkRange {
  readonly from: number;
  readonly to: number;
  readonly href: string;
}

/** The link at the cursor, or at the start of the selection. */
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
 * Links the selection, or the link at the cursor, to an address; null removes the link.
 * @param linkText text to insert if the selection is empty
 */
export function setLink(href: string | null, linkText: string): Command {
  return (state, dispatch) => {
    const { from, to, empty } = state.selection;
    if (cursorContext(state).isPlain || (href !== null && !isLinkAddress(href))) return false;
    const known = linkAt(state);
    const range = empty ? known : { from: Math.min(from, known?.from ?? from), to };
    if (range === null && href === null) return false;
    const transaction = state.tr;
    if (range === null && href !== null) {
      transaction.replaceSelectionWith(schema.text(linkText, [marks.link.create({ href })]), false);
    } else if (range !== null) {
      transaction.removeMark(range.from, range.to, marks.link);
      if (href !== null) transaction.addMark(range.from, range.to, marks.link.create({ href }));
      transaction.setSelection(TextSelection.create(transaction.doc, range.to));
    }
    dispatch?.(transaction.scrollIntoView());
    return true;
  };
}

/**
 * Replaces the selected picture, or inserts one. Except in a table, a picture with a caption becomes a paragraph of its
 * own, because Markdown has no captions within a line; a new one always does.
 */
export function setPicture({ src, alt, caption }: TextPicture): Command {
  return (state, dispatch) => {
    const { selection, doc } = state;
    if (isInCode(selection.$from)) return false;
    // A link around the picture stays.
    const kept = selection instanceof NodeSelection ? selection.node.marks : undefined;
    const image = nodes.image.create({ src, alt, title: caption === '' ? null : caption }, null, kept);
    const isOld = pictureOf(state) !== null;
    const isAlone = selection.$from.parent.childCount === 1;
    const staysInLine = isInTable(state) || (isOld && (isAlone || caption === ''));
    const transaction = state.tr;
    if (staysInLine) transaction.replaceSelectionWith(image, false);
    else transaction.replaceRangeWith(selection.from, selection.to, nodes.paragraph.create(null, image));
    // Behind the picture, which the next input must not replace.
    let end = selection.to;
    transaction.mapping.maps.at(-1)?.forEach((_from, _to, _newFrom, newTo) => (end = newTo));
    transaction.setSelection(Selection.near(transaction.doc.resolve(end), -1));
    if (transaction.doc.eq(doc)) return false;
    dispatch?.(transaction.scrollIntoView());
    return true;
  };
}

function isInCode({ parent }: ResolvedPos): boolean {
  return parent.type.spec.code === true;
}
