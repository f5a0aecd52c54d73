import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { attribute, childrenOf, findElement, type HtmlNode, isElement, mapElements } from '#server/markup/html-tree';
import { parseForeignPage } from '#server/markup/parse-html';
import { resolveHttp, safeCss } from '#server/markup/safe-css';
import { type MarkedParts, markParts } from '#server/markup/mark-parts';

/* Makes a whole page of another site (a foreign page) safe to show in a frame of this product: keeps its appearance,
   removes everything active. The tables list hast names of elements and attributes. */

/** Maps addresses of a foreign page to addresses of this server. */
export interface ForeignAddresses {
  /** Address of the page itself, the base of its relative addresses. */
  readonly page: string;
  /** Address here of a style sheet, picture or font; null: it is not shown. */
  readonly file: (address: URL) => string | null;
  /** Address here of a page of the same site; null: the link leads to another site, in a new window. */
  readonly link: (address: URL) => string | null;
}

const words = (names: string) => names.trim().split(/\s+/);

const SVG = words(`
  svg g path circle ellipse rect line polyline polygon defs symbol use text tspan linearGradient
  radialGradient stop clipPath mask pattern`);
const HTML = words(`
  html head body title link style header footer main nav aside article section address hgroup search figure
  figcaption form fieldset legend label input textarea select option optgroup button progress meter picture
  source video mark u small cite abbr time caption col colgroup wbr bdi bdo map area center font big dfn
  data output canvas`);
const EVERYWHERE = words(`
  className id style title lang dir hidden role width height align data* ariaLabel ariaLabelledBy
  ariaDescribedBy ariaHidden ariaExpanded ariaControls ariaCurrent viewBox xmlns preserveAspectRatio fill
  fillRule fillOpacity stroke strokeWidth strokeLineCap strokeLineJoin strokeMiterLimit strokeOpacity
  clipRule opacity transform d cx cy r rx ry x y x1 x2 y1 y2 points offset stopColor gradientUnits
  gradientTransform focusable`);

/**
 * Allowed attributes. Not `name`, which could shadow properties of `document`, and none that loads or sends something to
 * an address that is not mapped.
 */
const ATTRIBUTES: typeof defaultSchema.attributes = {
  a: ['href', 'rel', 'target'],
  area: ['href', 'alt', 'coords', 'shape'],
  img: ['src', 'srcSet', 'sizes', 'alt', 'width', 'height', 'loading'],
  source: ['srcSet', 'sizes', 'media', 'type'],
  video: ['poster', 'width', 'height', 'controls'],
  link: ['rel', 'href', 'media'],
  style: ['media'],
  ol: ['start', 'reversed', 'type'],
  li: ['value'],
  td: ['colSpan', 'rowSpan', 'align', 'vAlign'],
  th: ['colSpan', 'rowSpan', 'align', 'vAlign', 'scope'],
  col: ['span'],
  details: ['open'],
  time: ['dateTime'],
  input: ['type', 'value', 'placeholder', 'checked', 'disabled', 'size'],
  textarea: ['placeholder', 'rows', 'cols'],
  select: ['multiple', 'size'],
  option: ['selected', 'value'],
  button: ['type', 'disabled'],
  label: ['htmlFor'],
  font: ['color', 'face', 'size'],
  '*': EVERYWHERE,
  use: ['href'],
};

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: [...(defaultSchema.tagNames ?? []), ...HTML, ...SVG],
  strip: ['script', 'template', 'object', 'embed', 'applet', 'iframe', 'frame', 'frameset', 'foreignObject', 'base'],
  attributes: ATTRIBUTES,
  // Comments that mark parts; none is left in the result.
  allowComments: true,
  ancestors: {},
  required: {},
  // Ids stay unchanged: style sheets select by them, and no script runs that such an id could mislead.
  clobber: [],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https', 'data'], poster: ['http', 'https'] },
};
const sanitizer = unified().use(rehypeSanitize, schema).freeze();
const writer = unified().use(rehypeStringify).freeze();

/** Attributes with which our own pages describe themselves to the workspace; a foreign page must not set them. */
const RESERVED_ATTRIBUTES = ['dataLook', 'dataSection', 'dataKind', 'dataField', 'dataText', 'dataHighlighted'];

/** Highlight of sections that were just written, as on our own pages. */
const HIGHLIGHT = '[data-highlighted]{outline:3px solid #c2683f!important;outline-offset:6px}';

/** A `srcset` with several sizes; those that are not shown are removed. */
function safeSourceSet(text: string, { page, file }: ForeignAddresses): string {
  const shown = text.split(/,\s+/).flatMap((candidate) => {
    const [address = '', ...size] = candidate.trim().split(/\s+/);
    const url = resolveHttp(address, page);
    const ours = url === null ? null : file(url);
    return ours === null ? [] : [[ours, ...size].join(' ')];
  });
  return shown.join(', ');
}

/** An element with mapped addresses; empty if it is not shown. */
function withMappedAddresses(element: Element, addresses: ForeignAddresses): Element[] {
  const { tagName } = element;
  const properties = { ...element.properties };
  for (const name of RESERVED_ATTRIBUTES) delete properties[name];
  const text = (name: string) => attribute({ ...element, properties }, name);
  const put = (name: string, value: string | null | undefined) => {
    if (value === null || value === undefined || value === '') delete properties[name];
    else properties[name] = value;
  };
  const fileAt = (address: string | undefined) => {
    const url = address === undefined ? null : resolveHttp(address, addresses.page);
    return url === null ? null : addresses.file(url);
  };

  const style = text('style');
  if (style !== undefined) put('style', safeCss(style, addresses.page, addresses.file));
  if (tagName === 'link') {
    const href = /(?:^|\s)stylesheet(?:\s|$)/i.test(text('rel') ?? '') ? fileAt(text('href')) : null;
    return href === null ? [] : [{ ...element, properties: { ...properties, rel: ['stylesheet'], href } }];
  }
  if (tagName === 'style') {
    const css = element.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
    // No style sheet may end its own element, no matter where it comes from.
    const value = safeCss(css, addresses.page, addresses.file).replaceAll('</', '<\\/');
    return [{ ...element, properties, children: [{ type: 'text', value }] }];
  }
  if (tagName === 'use') put('href', text('href')?.startsWith('#') === true ? text('href') : null);
  if (tagName === 'a' || tagName === 'area') mapLink(properties, text('href'), addresses);
  const src = text('src');
  if (src !== undefined && !/^data:image\//i.test(src)) put('src', fileAt(src));
  if (text('poster') !== undefined) put('poster', fileAt(text('poster')));
  const sizes = text('srcSet');
  if (sizes !== undefined) put('srcSet', safeSourceSet(sizes, addresses));
  return [{ ...element, properties }];
}

/**
 * A link within the site stays in the frame; a link to a fragment of the page stays unchanged; others open a new
 * window.
 */
function mapLink(properties: Element['properties'], href: string | undefined, addresses: ForeignAddresses): void {
  if (href === undefined || href.startsWith('#')) return;
  const url = resolveHttp(href, addresses.page);
  const inside = url === null ? null : addresses.link(url);
  delete properties['target'];
  if (inside !== null) properties['href'] = inside;
  else {
    properties['href'] = url?.href ?? href;
    properties['target'] = '_blank';
    properties['rel'] = ['noopener', 'noreferrer'];
  }
}

function withoutComments(nodes: readonly RootContent[]): RootContent[] {
  return nodes
    .filter(({ type }) => type !== 'comment' && type !== 'doctype')
    .map((node) =>
      node.type === 'element' ? { ...node, children: withoutComments(node.children) as Element['children'] } : node,
    );
}

/**
 * Rewrites style sheets within `svg` and `math`. There the parser decodes references, so the text may be `<script>` or
 * `</style>`, and is written into the page unescaped.
 */
function escapeForeignStyles(nodes: readonly HtmlNode[], isForeign = false): void {
  for (const node of nodes) {
    const isStyle = isForeign && isElement(node) && node.tagName === 'style';
    for (const child of isStyle ? node.children : [])
      if (child.type === 'text') child.value = child.value.replaceAll('<', '\\3c ');
    const isRoot = isElement(node) && (node.tagName === 'svg' || node.tagName === 'math');
    escapeForeignStyles(childrenOf(node), isForeign || isRoot);
  }
}

function newElement(tagName: string, properties: Element['properties'], text = ''): Element {
  return { type: 'element', tagName, properties, children: text === '' ? [] : [{ type: 'text', value: text }] };
}

/**
 * Converts a page of another site to a document for display: keeps its appearance, without scripts, handlers, frames,
 * forms that submit, and addresses of other hosts. Callers must also forbid these by a policy, because style sheets are
 * not parsed.
 * @param look value of `data-look` of the root element, by which the workspace recognises what the frame shows
 * @param parts known parts: their elements get the id of their part as `data-section`
 * @throws InvalidInputError if it exceeds the parser's limits
 */
export function safeForeignPage(
  html: string,
  look: string,
  addresses: ForeignAddresses,
  parts: MarkedParts = { mark: '', ids: [] },
): string {
  const parsed = parseForeignPage(html);
  escapeForeignStyles(parsed.children);
  const clean: Root = sanitizer.runSync(parsed);
  const tree: Root = {
    ...clean,
    children: mapElements(clean.children, (each) => withMappedAddresses(each, addresses)),
  };
  markParts(tree, parts);
  const root = findElement(tree, ({ tagName }) => tagName === 'html');
  const head = findElement(tree, ({ tagName }) => tagName === 'head');
  if (root) root.properties['dataLook'] = look;
  if (head) {
    const viewport = { name: 'viewport', content: 'width=device-width, initial-scale=1' };
    head.children.unshift(newElement('meta', { charSet: 'utf-8' }), newElement('meta', viewport));
    head.children.push(newElement('style', {}, HIGHLIGHT));
  }
  return `<!doctype html>\n${writer.stringify({ ...tree, children: withoutComments(tree.children) })}`;
}
