import type { Element } from 'hast';
import { block } from '#server/wordpress/blocks/block-markup';
import { type Fields, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';
import { tableRows, tableText } from '#server/core/sections/table-rows';
import { elementsWithin, findElement, isElement, onOneLine, wordsOf } from '#server/markup/html-tree';
import { escapeText } from '#server/markup/write-html';

function rowHtml(cells: readonly string[], tag: 'th' | 'td'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeText(cell)}</${tag}>`).join('')}</tr>`;
}

/** A table block. @param rows the first one is the header */
function tableBlock(rows: readonly (readonly string[])[], caption: string | undefined): string {
  const [header, ...others] = rows;
  const head = header === undefined ? '' : `<thead>${rowHtml(header, 'th')}</thead>`;
  const body = others.length === 0 ? '' : `<tbody>${others.map((cells) => rowHtml(cells, 'td')).join('')}</tbody>`;
  const words =
    caption === undefined ? '' : `<figcaption class="wp-element-caption">${escapeText(caption)}</figcaption>`;
  const html = `<figure class="wp-block-table"><table class="has-fixed-layout">${head}${body}</table>${words}</figure>`;
  return block('table', html);
}

/** Reads the rows and the caption; null if a cell contains the sign that separates cells. */
function readTable(figure: Element): Fields | null {
  const rows = elementsWithin(figure)
    .filter(({ tagName }) => tagName === 'tr')
    .map(({ children }) =>
      children.filter((cell) => isElement(cell, 'th', 'td')).map((cell) => onOneLine(wordsOf(cell))),
    );
  if (rows.flat().some((cell) => cell.includes('|'))) return null;
  const words = findElement(figure, ({ tagName }) => tagName === 'figcaption');
  return present({ rows: tableText(rows), caption: words === undefined ? undefined : onOneLine(wordsOf(words)) });
}

export const tableBlocks: SectionMapping<'table'> = {
  write: ({ heading, intro, rows, caption }) => [
    ...headings(heading),
    ...prose(intro),
    tableBlock(tableRows(rows), caption),
  ],
  read(reader) {
    const [heading, intro] = [reader.heading('h2'), reader.prose()];
    const figure = reader.take('figure');
    const content = figure === undefined ? null : readTable(figure);
    return content === null ? null : present({ heading, intro, ...content });
  },
};
