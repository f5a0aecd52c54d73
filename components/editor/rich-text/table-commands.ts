import type { Node, NodeType } from 'prosemirror-model';
import { type Command, type EditorState, TextSelection, type Transaction } from 'prosemirror-state';
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  CellSelection,
  deleteColumn,
  deleteRow,
  goToNextCell,
  isInTable,
  moveTableColumn,
  moveTableRow,
  selectedRect,
  TableMap,
} from 'prosemirror-tables';
import { type ColumnAlignment, schema } from '#components/editor/rich-text/schema.ts';

const { nodes, marks } = schema;

/** Size of a new table, header included. */
const NEW_ROWS = 3;
const NEW_COLUMNS = 3;

/** The table around the cursor, for the toolbar. */
export interface TableContext {
  /** Alignment of the column of the cursor. */
  readonly align: ColumnAlignment;
  readonly isFirstRow: boolean;
  readonly isLastRow: boolean;
  readonly isFirstColumn: boolean;
  readonly isLastColumn: boolean;
  readonly hasHeaderRow: boolean;
  readonly hasHeaderColumn: boolean;
}

function isHeaderRowEmpty(table: Node): boolean {
  return table.firstChild?.children.every(({ content }) => content.size === 0) ?? true;
}

/** Cells of the first column below the header, with their positions within the table. */
function firstColumn(table: Node): { readonly cell: Node; readonly at: number }[] {
  const found: { cell: Node; at: number }[] = [];
  table.forEach((row, offset, index) => {
    if (index > 0 && row.firstChild !== null) found.push({ cell: row.firstChild, at: offset + 1 });
  });
  return found;
}

/** Markdown has no header column: it is a first column in bold. */
function hasHeaderColumn(table: Node): boolean {
  const cells = firstColumn(table).filter(({ cell }) => cell.content.size > 0);
  const isBold = ({ cell }: { readonly cell: Node }) =>
    cell.children.every((node) => marks.strong.isInSet(node.marks) !== undefined);
  return cells.length > 0 && cells.every(isBold);
}

/** Describes the table around the cursor; null outside a table. */
export function tableContext(state: EditorState): TableContext | null {
  if (!isInTable(state)) return null;
  const { table, map, left, right, top, bottom } = selectedRect(state);
  return {
    align: (table.firstChild?.child(left).attrs['align'] as ColumnAlignment | undefined) ?? null,
    isFirstRow: top === 0,
    isLastRow: bottom === map.height,
    isFirstColumn: left === 0,
    isLastColumn: right === map.width,
    hasHeaderRow: !isHeaderRowEmpty(table),
    hasHeaderColumn: hasHeaderColumn(table),
  };
}

/** Position for the cursor in a cell of the table that begins at a position. */
function inCell(transaction: Transaction, tableAt: number, row: number, column: number): TextSelection {
  const table = transaction.doc.nodeAt(tableAt);
  if (table === null) throw new RangeError('There is no table at the position.');
  const cell = tableAt + 1 + TableMap.get(table).positionAt(row, column, table);
  return TextSelection.create(transaction.doc, cell + 1 + (transaction.doc.nodeAt(cell)?.content.size ?? 0));
}

/** Inserts an empty table after the block of the cursor, or in place of an empty paragraph. */
export const insertTable: Command = (state, dispatch) => {
  const { $from } = state.selection;
  if (isInTable(state) || $from.depth === 0) return false;
  const row = (type: NodeType) =>
    nodes.table_row.create(
      null,
      Array.from({ length: NEW_COLUMNS }, () => type.create()),
    );
  const rows = Array.from({ length: NEW_ROWS }, (_, index) => row(index === 0 ? nodes.table_header : nodes.table_cell));
  const block = $from.node(1);
  const isReplaced = block.type === nodes.paragraph && block.content.size === 0;
  const at = isReplaced ? $from.before(1) : $from.after(1);
  const transaction = state.tr.replaceWith(at, isReplaced ? $from.after(1) : at, nodes.table.create(null, rows));
  dispatch?.(transaction.setSelection(inCell(transaction, at, 0, 0)).scrollIntoView());
  return true;
};

/** Removes the table of the cursor, and leaves an empty paragraph. */
const removeTable: Command = (state, dispatch) => {
  if (!isInTable(state)) return false;
  const { tableStart, table } = selectedRect(state);
  const at = tableStart - 1;
  const transaction = state.tr.replaceWith(at, at + table.nodeSize, nodes.paragraph.create());
  dispatch?.(transaction.setSelection(TextSelection.create(transaction.doc, at + 1)).scrollIntoView());
  return true;
};

/** Moves the row or column of the cursor by one place, with the cursor. */
function move(axis: 'row' | 'column', by: -1 | 1): Command {
  return (state, dispatch) => {
    if (!isInTable(state)) return false;
    const { map, left, top, tableStart } = selectedRect(state);
    const [from, end] = axis === 'row' ? [top, map.height] : [left, map.width];
    const to = from + by;
    if (to < 0 || to >= end) return false;
    const command = axis === 'row' ? moveTableRow : moveTableColumn;
    return command({ from, to, select: false })(
      state,
      dispatch &&
        ((transaction) =>
          dispatch(
            transaction
              .setSelection(inCell(transaction, tableStart - 1, axis === 'row' ? to : top, axis === 'row' ? left : to))
              .scrollIntoView(),
          )),
    );
  };
}

/** Aligns the selected columns. */
function alignColumns(align: ColumnAlignment): Command {
  return (state, dispatch) => {
    if (!isInTable(state)) return false;
    const { table, tableStart, left, right } = selectedRect(state);
    const transaction = state.tr;
    table.forEach((row, offset) => {
      row.forEach((cell, cellOffset, column) => {
        if (column < left || column >= right) return;
        transaction.setNodeMarkup(tableStart + offset + 1 + cellOffset, null, { ...cell.attrs, align });
      });
    });
    if (!transaction.docChanged) return false;
    dispatch?.(transaction);
    return true;
  };
}

/** Removes an empty header, so that the next row becomes the header, or inserts an empty one above the rows. */
const toggleHeaderRow: Command = (state, dispatch) => {
  if (!isInTable(state)) return false;
  const { table, tableStart, map } = selectedRect(state);
  const [first] = table.children;
  if (first === undefined) return false;
  const transaction = state.tr;
  if (!isHeaderRowEmpty(table)) {
    const cells = first.children.map(({ attrs }) => nodes.table_header.create(attrs));
    transaction.insert(tableStart, nodes.table_row.create(null, cells));
  } else if (map.height > 1) transaction.delete(tableStart, tableStart + first.nodeSize);
  else return false;
  dispatch?.(transaction.scrollIntoView());
  return true;
};

/** Makes the first column bold, or ends it. */
const toggleHeaderColumn: Command = (state, dispatch) => {
  if (!isInTable(state)) return false;
  const { table, tableStart } = selectedRect(state);
  const isOn = hasHeaderColumn(table);
  const transaction = state.tr;
  for (const { cell, at } of firstColumn(table)) {
    const [from, to] = [tableStart + at + 1, tableStart + at + 1 + cell.content.size];
    if (isOn) transaction.removeMark(from, to, marks.strong);
    else transaction.addMark(from, to, marks.strong.create());
  }
  if (!transaction.docChanged) return false;
  dispatch?.(transaction);
  return true;
};

/** Commands of the menu of a table, by the keys of their names. */
export const tableCommands = {
  rowAbove: addRowBefore,
  rowBelow: addRowAfter,
  rowUp: move('row', -1),
  rowDown: move('row', 1),
  columnBefore: addColumnBefore,
  columnAfter: addColumnAfter,
  columnLeft: move('column', -1),
  columnRight: move('column', 1),
  alignLeft: alignColumns('left'),
  alignCenter: alignColumns('center'),
  alignRight: alignColumns('right'),
  alignNone: alignColumns(null),
  headerRow: toggleHeaderRow,
  headerColumn: toggleHeaderColumn,
  deleteRow,
  deleteColumn,
  deleteTable: removeTable,
} as const satisfies Record<string, Command>;

/** Puts the cursor into the next cell; after the last cell of the table, into a new row. */
export const nextCell: Command = (state, dispatch) => {
  if (!isInTable(state)) return false;
  if (goToNextCell(1)(state, dispatch)) return true;
  return addRowAfter(
    state,
    dispatch &&
      ((transaction) => {
        const { tableStart, map } = selectedRect(state);
        dispatch(transaction.setSelection(inCell(transaction, tableStart - 1, map.height, 0)).scrollIntoView());
      }),
  );
};

/** Puts the cursor into the cell before; false in the first cell, so that the key leads to the toolbar. */
export const previousCell: Command = goToNextCell(-1);

/** Puts the cursor beside the table, into the paragraph there or a new one. */
function leaveTable(side: 'before' | 'after'): Command {
  return (state, dispatch) => {
    const { tableStart, table } = selectedRect(state);
    const at = side === 'before' ? tableStart - 1 : tableStart - 1 + table.nodeSize;
    const transaction = state.tr;
    const beside = side === 'before' ? state.doc.resolve(at).nodeBefore : state.doc.resolve(at).nodeAfter;
    if (beside?.isTextblock !== true) transaction.insert(at, nodes.paragraph.create());
    const target = side === 'after' ? at + 1 : beside?.isTextblock === true ? at - 1 : at + 1;
    dispatch?.(transaction.setSelection(TextSelection.create(transaction.doc, target)).scrollIntoView());
    return true;
  };
}

/** Puts the cursor into the cell below; in the last row, after the table. */
export const cellBelow: Command = (state, dispatch, view) => {
  if (!isInTable(state)) return false;
  const { tableStart, bottom, left, map } = selectedRect(state);
  if (bottom === map.height) return leaveTable('after')(state, dispatch, view);
  const transaction = state.tr;
  dispatch?.(transaction.setSelection(inCell(transaction, tableStart - 1, bottom, left)).scrollIntoView());
  return true;
};

/** Leaves a table at the top or the bottom of the text, where there is no other place for the cursor. */
export function leaveAtEdge(side: 'before' | 'after'): Command {
  return (state, dispatch, view) => {
    if (!isInTable(state) || state.selection instanceof CellSelection) return false;
    const { tableStart, table, top, bottom, map } = selectedRect(state);
    const isEdge = side === 'before' ? top === 0 && tableStart === 1 : bottom === map.height;
    const isLast = tableStart - 1 + table.nodeSize === state.doc.content.size;
    if (!isEdge || (side === 'after' && !isLast)) return false;
    if (view && !view.endOfTextblock(side === 'before' ? 'up' : 'down')) return false;
    return leaveTable(side)(state, dispatch, view);
  };
}
