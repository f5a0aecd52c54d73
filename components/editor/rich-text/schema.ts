import { type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec, Schema } from 'prosemirror-model';
import { addressProblem, isReadableAddress } from '#server/core/addresses';

/** How a column of a table is aligned; null: as the page aligns it. */
export type ColumnAlignment = 'left' | 'center' | 'right' | null;

/**
 * Index of a block in the Markdown it was parsed from, null for a new one. It determines which characters to return if
 * the block was not changed, and what separated it from its neighbours; see write-markdown.
 */
const source = { source: { default: null } } as const;

/** Headings of a text start two levels below the page's own, see components/content/text/safe-html. */
const HEADINGS_BEGIN_AT = 2;
const DEEPEST_HEADING = 6;

function headingTag(level: number): string {
  return `h${String(Math.min(level + HEADINGS_BEGIN_AT, DEEPEST_HEADING))}`;
}

const PICTURE = /^\/(?![/\\])/;

/** True if a link of a text may lead to an address; `javascript:` and similar schemes may not. */
export function isLinkAddress(href: string): boolean {
  return addressProblem(href, 'textLink') === null;
}

/** True for a picture of this site: the browser would request an external one immediately on paste. */
export function isOwnPicture(src: string): boolean {
  return PICTURE.test(src) && isReadableAddress(src);
}

/** Attributes of a picture of this site; false for another one. */
function pictureAttributes(element: HTMLElement | null) {
  const src = element?.getAttribute('src') ?? '';
  const title = element?.getAttribute('title') ?? '';
  return isOwnPicture(src) && { src, alt: element?.getAttribute('alt') ?? '', title: title === '' ? null : title };
}

/** The alignment of a pasted or rendered cell. */
function alignmentOf(element: HTMLElement): ColumnAlignment {
  const align = element.getAttribute('align');
  return align === 'left' || align === 'center' || align === 'right' ? align : null;
}

/** A cell of a table. Markdown has no line breaks in cells, and no cells that span others. */
function cell(tag: 'td' | 'th', role: 'cell' | 'header_cell') {
  return {
    content: '(text | image | inline_source)*',
    // The names that prosemirror-tables reads.
    tableRole: role,
    isolating: true,
    attrs: { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null }, align: { default: null } },
    parseDOM: [{ tag, getAttrs: (element: HTMLElement) => ({ align: alignmentOf(element) }) }],
    toDOM: ({ attrs }: Node): DOMOutputSpec => {
      const align: unknown = attrs['align'];
      return typeof align === 'string' ? [tag, { align }, 0] : [tag, 0];
    },
  } as const;
}

const nodes = {
  doc: { content: '(block | table | source)+' },
  paragraph: {
    group: 'block',
    content: 'inline*',
    attrs: source,
    parseDOM: [{ tag: 'p' }],
    toDOM: (): DOMOutputSpec => ['p', 0],
  },
  heading: {
    group: 'block',
    content: 'inline*',
    attrs: { ...source, level: { default: 1 } },
    defining: true,
    // External content has its own levels: only the order of two is kept.
    parseDOM: [
      { tag: 'h1', attrs: { level: 1 } },
      { tag: 'h2', attrs: { level: 1 } },
      { tag: 'h3', attrs: { level: 1 } },
      { tag: 'h4', attrs: { level: 2 } },
      { tag: 'h5', attrs: { level: 3 } },
      { tag: 'h6', attrs: { level: 4 } },
    ],
    toDOM: (node): DOMOutputSpec => [headingTag(Number(node.attrs['level'])), 0],
  },
  blockquote: {
    group: 'block',
    content: 'block+',
    attrs: source,
    defining: true,
    parseDOM: [{ tag: 'blockquote' }],
    toDOM: (): DOMOutputSpec => ['blockquote', 0],
  },
  bullet_list: {
    group: 'block list',
    content: 'list_item+',
    attrs: { ...source, isTight: { default: true }, marker: { default: '-' } },
    parseDOM: [{ tag: 'ul' }],
    toDOM: (): DOMOutputSpec => ['ul', 0],
  },
  ordered_list: {
    group: 'block list',
    content: 'list_item+',
    attrs: { ...source, isTight: { default: true }, marker: { default: '.' }, start: { default: 1 } },
    parseDOM: [{ tag: 'ol', getAttrs: (element) => ({ start: Number(element.getAttribute('start') ?? 1) }) }],
    toDOM: (node): DOMOutputSpec => {
      const start = Number(node.attrs['start']);
      return start === 1 ? ['ol', 0] : ['ol', { start: String(start) }, 0];
    },
  },
  list_item: { content: 'block+', defining: true, parseDOM: [{ tag: 'li' }], toDOM: (): DOMOutputSpec => ['li', 0] },
  code_block: {
    group: 'block',
    content: 'text*',
    marks: '',
    code: true,
    defining: true,
    attrs: { ...source, info: { default: '' } },
    parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
    toDOM: (): DOMOutputSpec => ['pre', ['code', 0]],
  },
  horizontal_rule: {
    group: 'block',
    attrs: source,
    parseDOM: [{ tag: 'hr' }],
    toDOM: (): DOMOutputSpec => ['hr'],
  },
  /** The first row is the header, and the alignment of its cells is that of the columns, see table-rules. */
  table: {
    group: 'table',
    content: 'table_row+',
    tableRole: 'table',
    isolating: true,
    attrs: source,
    parseDOM: [{ tag: 'table' }],
    toDOM: (): DOMOutputSpec => ['table', ['tbody', 0]],
  },
  table_row: {
    content: '(table_cell | table_header)+',
    tableRole: 'row',
    parseDOM: [{ tag: 'tr' }],
    toDOM: (): DOMOutputSpec => ['tr', 0],
  },
  table_cell: cell('td', 'cell'),
  table_header: cell('th', 'header_cell'),
  /** Markdown shown as source: footnotes, HTML and everything else that the editor cannot represent. */
  source: {
    group: 'source',
    content: 'text*',
    marks: '',
    code: true,
    defining: true,
    isolating: true,
    attrs: source,
    parseDOM: [{ tag: 'pre[data-markdown]', preserveWhitespace: 'full', priority: 60 }],
    toDOM: (): DOMOutputSpec => ['pre', { 'data-markdown': '' }, ['code', 0]],
  },
  text: { group: 'inline' },
  hard_break: {
    group: 'inline',
    inline: true,
    selectable: false,
    linebreakReplacement: true,
    parseDOM: [{ tag: 'br' }],
    toDOM: (): DOMOutputSpec => ['br'],
  },
  /** The title of a picture that is a paragraph of its own is its caption. */
  image: {
    group: 'inline',
    inline: true,
    attrs: { src: {}, alt: { default: '' }, title: { default: null } },
    parseDOM: [
      // Before the rule for its parts.
      {
        tag: 'span[data-picture]',
        priority: 60,
        getAttrs: (element) => pictureAttributes(element.querySelector('img')),
      },
      { tag: 'img[src]', getAttrs: pictureAttributes },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => {
      const caption: unknown = attrs['title'];
      const image = { src: String(attrs['src']), alt: String(attrs['alt']) };
      if (typeof caption !== 'string') return ['img', image];
      return [
        'span',
        { 'data-picture': '' },
        ['img', { ...image, title: caption }],
        ['span', { 'data-caption': '' }, caption],
      ];
    },
  },
  /** Source within a paragraph: HTML, footnote marks, links by reference. */
  inline_source: {
    group: 'inline',
    inline: true,
    atom: true,
    attrs: { text: {} },
    parseDOM: [
      {
        tag: 'code[data-markdown]',
        priority: 60,
        getAttrs: (element) => ({ text: (element.textContent ?? '').replace(/\s+/g, ' ') }),
      },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => ['code', { 'data-markdown': '' }, String(attrs['text'])],
  },
} as const satisfies Record<string, NodeSpec>;

const marks = {
  link: {
    attrs: { href: {}, title: { default: null } },
    inclusive: false,
    parseDOM: [
      {
        tag: 'a[href]',
        getAttrs: (element) => {
          const href = element.getAttribute('href') ?? '';
          return isLinkAddress(href) && { href };
        },
      },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => ['a', { href: String(attrs['href']), rel: 'noreferrer' }, 0],
  },
  em: { parseDOM: [{ tag: 'em' }], toDOM: (): DOMOutputSpec => ['em', 0] },
  strong: { parseDOM: [{ tag: 'strong' }], toDOM: (): DOMOutputSpec => ['strong', 0] },
  strike: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: (): DOMOutputSpec => ['del', 0] },
  /** Marks a space where the Markdown has a line end that is not displayed. */
  line_end: { inclusive: false, toDOM: (): DOMOutputSpec => ['span', 0] },
  code: { code: true, parseDOM: [{ tag: 'code' }], toDOM: (): DOMOutputSpec => ['code', 0] },
} as const satisfies Record<string, MarkSpec>;

/** Nodes and marks of a text of the site in the editor. */
export const schema = new Schema<keyof typeof nodes, keyof typeof marks>({ nodes, marks });
