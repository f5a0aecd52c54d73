import { Fragment, type Node, Slice } from 'prosemirror-model';
import { type EditorState, Plugin, type Transaction } from 'prosemirror-state';
import { isInTable, tableEditing } from 'prosemirror-tables';
import { schema } from '#components/editor/rich-text/schema.ts';

const { nodes, marks } = schema;

/**
 * Makes a table one that Markdown has: the first row is the header, and all cells of a column are aligned like their
 * header.
 */
function normalizeTable(transaction: Transaction, table: Node, at: number): void {
  const header = table.firstChild;
  table.forEach((row, offset, index) => {
    const type = index === 0 ? nodes.table_header : nodes.table_cell;
    row.forEach((cell, cellOffset, column) => {
      const align: unknown = header?.maybeChild(column)?.attrs['align'] ?? null;
      if (cell.type === type && cell.attrs['align'] === align) return;
      // The sizes of nodes stay the same, so positions need no mapping.
      transaction.setNodeMarkup(at + 1 + offset + 1 + cellOffset, type, { ...cell.attrs, align });
    });
  });
}

function normalizeTables(before: EditorState, state: EditorState): Transaction | null {
  const transaction = state.tr;
  const known = new Set(before.doc.children);
  state.doc.forEach((block, offset) => {
    if (block.type === nodes.table && !known.has(block)) normalizeTable(transaction, block, offset);
  });
  return transaction.docChanged ? transaction : null;
}

/** Plugins for tables; after each change, tables are rectangular and can be written as Markdown. */
export const tablePlugins: readonly Plugin[] = [
  tableEditing(),
  new Plugin({
    appendTransaction: (transactions, before, state) =>
      transactions.some(({ docChanged }) => docChanged) ? normalizeTables(before, state) : null,
  }),
];

/** The running text of pasted blocks as one line; a cell has no other content. */
function oneLine(content: Fragment): Node[] {
  const line: Node[] = [];
  content.descendants((node) => {
    if (node.isTextblock && line.length > 0) line.push(schema.text(' '));
    if (node.isText && node.text !== undefined) {
      const text = schema.text(node.text.replace(/\s+/g, ' '), node.marks);
      line.push(text.mark(marks.line_end.removeFromSet(node.marks)));
    } else if (node.type === nodes.hard_break) line.push(schema.text(' '));
    else if (node.isInline) line.push(node);
    return !node.isInline;
  });
  return line;
}

/** True for cells, rows or one table, which prosemirror-tables pastes itself, cell by cell. */
function isOfCells({ content }: Slice): boolean {
  const first = content.firstChild;
  if (first?.type === nodes.table) return content.childCount === 1;
  return first !== null && first.type.spec['tableRole'] !== undefined;
}

/** A slice for pasting into a cell, and whether it was simplified; null if it consists of cells or is not for a cell. */
export function sliceForCell(
  state: EditorState,
  slice: Slice,
): { readonly slice: Slice; readonly isSimplified: boolean } | null {
  if (!isInTable(state) || slice.content.childCount === 0 || isOfCells(slice)) return null;
  let blocks = 0;
  let breaks = 0;
  slice.content.descendants((node) => {
    if (node.isTextblock) blocks += 1;
    if (node.type === nodes.hard_break) breaks += 1;
    return true;
  });
  return { slice: new Slice(Fragment.from(oneLine(slice.content)), 0, 0), isSimplified: blocks > 1 || breaks > 0 };
}
