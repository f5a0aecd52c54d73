import type { Element, RootContent } from 'hast';
import { attribute, elementsWithin, isElement, wordsOf } from '#server/markup/html-tree';

/** Largest table that is pasted as a table; a larger one becomes paragraphs. */
const MAX_ROWS = 2_000;
const MAX_COLUMNS = 100;

/** What a text of the site cannot hold and paste has therefore simplified, by the names of their notices. */
export type PasteSimplification = 'mergedCells' | 'cellLines' | 'cellAlignment';

type Alignment = 'left' | 'center' | 'right' | null;

/** A pasted table as a grid: null stands for a place that a merged cell covers. */
interface PastedTable {
  readonly rows: readonly (readonly (Element | null)[])[];
  readonly alignments: readonly Alignment[];
  readonly caption: Element | undefined;
  readonly simplified: readonly PasteSimplification[];
}

/** Rows of a table, not those of tables within it. */
function rowsOf(table: Element): Element[] {
  return table.children
    .flatMap((child) => (isElement(child, 'thead', 'tbody', 'tfoot') ? child.children : [child]))
    .filter((child) => isElement(child, 'tr'));
}

function spanOf(cell: Element, name: 'colSpan' | 'rowSpan', max: number): number {
  const span = Number(attribute(cell, name) ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, max) : 1;
}

/** The cells of each row by column; null if there are too many columns. */
function gridOf(rows: readonly Element[]): (Element | null)[][] | null {
  const grid: (Element | null)[][] = rows.map(() => []);
  for (const [index, row] of rows.entries()) {
    const cells = row.children.filter((child) => isElement(child, 'td', 'th'));
    let column = 0;
    for (const cell of cells) {
      while (grid[index]?.[column] !== undefined) column += 1;
      const [width, height] = [spanOf(cell, 'colSpan', MAX_COLUMNS), spanOf(cell, 'rowSpan', rows.length - index)];
      if (column + width > MAX_COLUMNS) return null;
      for (let down = 0; down < height; down += 1) {
        for (let right = 0; right < width; right += 1) {
          const covered = grid[index + down];
          if (covered) covered[column + right] = down + right === 0 ? cell : null;
        }
      }
      column += width;
    }
  }
  const width = Math.max(...grid.map(({ length }) => length));
  return grid.map((cells) => Array.from({ length: width }, (_, column) => cells[column] ?? null));
}

function ownAlignment(element: Element): Alignment {
  const align = attribute(element, 'align')?.toLowerCase();
  if (align === 'left' || align === 'center' || align === 'right') return align;
  const [, style] = /(?:^|[;\s])text-align:\s*(center|right|end)\b/i.exec(attribute(element, 'style') ?? '') ?? [];
  return style === undefined ? null : style.toLowerCase() === 'center' ? 'center' : 'right';
}

/** Alignment of a cell, or of its first paragraph, where Word and Google Docs store it. */
function alignmentOf(cell: Element): Alignment {
  const first = cell.children.find((child) => isElement(child, 'p', 'div'));
  return ownAlignment(cell) ?? (first === undefined ? null : ownAlignment(first));
}

/** Alignment of a column: that of all its cells below the header, or else that of the header. */
function columnAlignment([head, ...body]: readonly (Element | null)[]) {
  const written = body.filter((cell) => cell !== null && wordsOf(cell).trim() !== '') as readonly Element[];
  const found = new Set(written.map(alignmentOf));
  const [only = null] = found;
  const own = head ? alignmentOf(head) : null;
  return { alignment: found.size === 1 ? only : own, isMixed: found.size > 1 };
}

/**
 * Reads a table of the clipboard.
 * @param isOwn copied from an editor of this product, where a single cell is a table, too
 * @returns null for a table that only arranges other content, as in e-mails, and for one that is too large
 */
export function pastedTable(table: Element, isOwn: boolean): PastedTable | null {
  const isLayout = attribute(table, 'role') === 'presentation';
  if (isLayout || elementsWithin(table).some((inner) => inner !== table && inner.tagName === 'table')) return null;
  const elements = rowsOf(table);
  if (elements.length === 0 || elements.length > MAX_ROWS) return null;
  const rows = gridOf(elements);
  const width = rows?.[0]?.length ?? 0;
  if (rows === null || width === 0 || (!isOwn && rows.length * width === 1)) return null;
  const columns = Array.from({ length: width }, (_, column) =>
    columnAlignment(rows.map((cells) => cells[column] ?? null)),
  );
  const isMerged = rows
    .flat()
    .some((cell) => cell !== null && spanOf(cell, 'colSpan', 2) * spanOf(cell, 'rowSpan', 2) > 1);
  return {
    rows,
    alignments: columns.map(({ alignment }) => alignment),
    caption: table.children.find((child) => isElement(child, 'caption')),
    simplified: [
      ...(isMerged ? (['mergedCells'] as const) : []),
      ...(columns.some(({ isMixed }) => isMixed) ? (['cellAlignment'] as const) : []),
    ],
  };
}

/** Elements that begin a line of their own. */
const LINES = ['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/**
 * The content of a cell as running text on one line, as Markdown has it.
 * @param nodes cleaned content
 */
export function cellLine(nodes: readonly RootContent[]): {
  readonly nodes: RootContent[];
  readonly isSimplified: boolean;
} {
  const line: RootContent[] = [];
  let isSimplified = false;
  let isBroken = false;
  const add = (node: RootContent) => {
    if (node.type === 'text' && node.value.trim() === '' && (isBroken || line.length === 0)) return;
    if (isBroken && line.length > 0) {
      line.push({ type: 'text', value: ' ' });
      isSimplified = true;
    }
    isBroken = false;
    line.push(node);
  };
  const addAll = (children: readonly RootContent[]) => {
    for (const node of children) {
      if (!isElement(node)) add(node);
      else if (node.tagName === 'br') isBroken = true;
      else {
        const isLine = LINES.includes(node.tagName);
        isBroken ||= isLine;
        if (isLine || node.children.some((child) => isElement(child, 'br', ...LINES))) addAll(node.children);
        else add(node);
        isBroken ||= isLine;
      }
    }
  };
  addAll(nodes);
  return { nodes: line, isSimplified };
}
