import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { attribute, childrenOf, findElement, type HtmlNode, isElement, mapElements } from '#server/markup/html-tree';
import { parseForeignPage } from '#server/markup/parse-html';

/* A whole page of another site, made safe to be shown in a frame of ours: as it looks, and without all that it does. */

/** Addresses of a foreign page, as ours. */
export interface ForeignAddresses {
  /** Address of the page itself, which others in it are relative to. */
  readonly page: string;
  /** Address with us of a style sheet, picture or font; null: it is not shown. */
  readonly file: (address: URL) => string | null;
  /** Address with us of a page of the same site; null: the link leads away, in a window of its own. */
  readonly link: (address: URL) => string | null;
}

/** A part of a page that we know, between two comments (`<!--mark 0-->` and `<!--/mark 0-->`). */
export interface MarkedParts {
  /** Text that nobody can guess. */
  readonly mark: string;
  /** Ids of the parts, by their numbers. */
  readonly ids: readonly string[];
}

const named = (names: string) => names.trim().split(/\s+/);

const SVG = named(`
  svg g path circle ellipse rect line polyline polygon defs symbol use text tspan linearGradient
  radialGradient stop clipPath mask pattern`);
const HTML = named(`
  html head body title link style header footer main nav aside article section address hgroup search figure
  figcaption form fieldset legend label input textarea select option optgroup button progress meter picture
  source video mark u small cite abbr time caption col colgroup wbr bdi bdo map area center font big dfn
  data output canvas`);
const EVERYWHERE = named(`
  className id style title lang dir hidden role width height align data* ariaLabel ariaLabelledBy
  ariaDescribedBy ariaHidden ariaExpanded ariaControls ariaCurrent viewBox xmlns preserveAspectRatio fill
  fillRule fillOpacity stroke strokeWidth strokeLineCap strokeLineJoin strokeMiterLimit strokeOpacity
  clipRule opacity transform d cx cy r rx ry x y x1 x2 y1 y2 points offset stopColor gradientUnits
  gradientTransform focusable`);

/** No names, which could stand in the way of the document's own properties, and nothing that asks or sends. */
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
  // Those that mark parts; none is left in the end.
  allowComments: true,
  ancestors: {},
  required: {},
  // Style sheets select by them, and no script runs that could take one for its own.
  clobber: [],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https', 'data'], poster: ['http', 'https'] },
};
const sanitizer = unified().use(rehypeSanitize, schema).freeze();
const writer = unified().use(rehypeStringify).freeze();

/** Names with which our own pages tell the desk what they show. */
const OURS = ['dataLook', 'dataSection', 'dataKind', 'dataField', 'dataText', 'dataHighlighted'];

/** Sections that were written just now, as on our own pages. */
const HIGHLIGHT = '[data-highlighted]{outline:3px solid #c2683f!important;outline-offset:6px}';

function resolved(address: string, base: string): URL | null {
  const url = URL.parse(address.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

const CSS_IMPORT = /@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"';)]+))\s*\)?([^;{}]*);?/gi;
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"'()]*))\s*\)/gi;

/**
 * A style sheet whose addresses are ours; those that are not shown are left out.
 * @param base address of the style sheet
 */
export function safeCss(css: string, base: string, file: ForeignAddresses['file']): string {
  const ours = (address: string) => {
    const url = resolved(address, base);
    return url === null ? null : file(url);
  };
  const quoted = (address: string) => `"${address.replaceAll(/["\\\n]/g, encodeURIComponent)}"`;
  return css
    .replace(CSS_IMPORT, (_, ...[double, single, bare, media]: (string | undefined)[]) => {
      const address = ours(double ?? single ?? bare ?? '');
      return address === null ? '' : `@import ${quoted(address)} ${media?.trim() ?? ''};`;
    })
    .replace(CSS_URL, (whole, ...[double, single, bare]: (string | undefined)[]) => {
      const address = double ?? single ?? bare ?? '';
      if (/^(?:data:|#)/i.test(address)) return whole;
      return `url(${quoted(ours(address) ?? 'data:,')})`;
    });
}

/** Pictures of several sizes; those that are not shown are left out. */
function safeSourceSet(text: string, { page, file }: ForeignAddresses): string {
  const shown = text.split(/,\s+/).flatMap((candidate) => {
    const [address = '', ...size] = candidate.trim().split(/\s+/);
    const url = resolved(address, page);
    const ours = url === null ? null : file(url);
    return ours === null ? [] : [[ours, ...size].join(' ')];
  });
  return shown.join(', ');
}

/** An element with addresses of ours; none: it is not shown. */
function addressed(element: Element, addresses: ForeignAddresses): Element[] {
  const { tagName } = element;
  const properties = { ...element.properties };
  for (const name of OURS) delete properties[name];
  const text = (name: string) => attribute({ ...element, properties }, name);
  const put = (name: string, value: string | null | undefined) => {
    if (value === null || value === undefined || value === '') delete properties[name];
    else properties[name] = value;
  };
  const fileAt = (address: string | undefined) => {
    const url = address === undefined ? null : resolved(address, addresses.page);
    return url === null ? null : addresses.file(url);
  };

  const style = text('style');
  if (style !== undefined) put('style', safeCss(style, addresses.page, addresses.file));
  if (tagName === 'link') {
    const href = /(?:^|\s)stylesheet(?:\s|$)/i.test(text('rel') ?? '') ? fileAt(text('href')) : null;
    return href === null ? [] : [{ ...element, properties: { ...properties, rel: ['stylesheet'], href } }];
  }
  if (tagName === 'style') {
    const css = element.children.map((child) => ('value' in child ? child.value : '')).join('');
    const value = safeCss(css, addresses.page, addresses.file);
    return [{ ...element, properties, children: [{ type: 'text', value }] }];
  }
  if (tagName === 'use') put('href', text('href')?.startsWith('#') === true ? text('href') : null);
  if (tagName === 'a' || tagName === 'area') linked(properties, text('href'), addresses);
  const src = text('src');
  if (src !== undefined && !/^data:image\//i.test(src)) put('src', fileAt(src));
  if (text('poster') !== undefined) put('poster', fileAt(text('poster')));
  const sizes = text('srcSet');
  if (sizes !== undefined) put('srcSet', safeSourceSet(sizes, addresses));
  return [{ ...element, properties }];
}

/** A link within the site stays in the frame; one to a place on the page stays what it is; others open a window. */
function linked(properties: Element['properties'], href: string | undefined, addresses: ForeignAddresses): void {
  if (href === undefined || href.startsWith('#')) return;
  const url = resolved(href, addresses.page);
  const inside = url === null ? null : addresses.link(url);
  delete properties['target'];
  if (inside !== null) properties['href'] = inside;
  else {
    properties['href'] = url?.href ?? href;
    properties['target'] = '_blank';
    properties['rel'] = ['noopener', 'noreferrer'];
  }
}

/** Elements that WordPress makes around running text, marks and all. */
const TEXT_TAGS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre']);

/** Numbers of the parts that what is below an element belongs to; null among them: to none. */
interface Owners {
  readonly parts: ReadonlySet<number | null>;
  readonly hasMarks: boolean;
}

/** Number of a part that a comment begins (`isEnd` false) or ends; null: it is any other comment. */
function partAt(comment: string, mark: string): { readonly number: number; readonly isEnd: boolean } | null {
  const isEnd = comment.startsWith('/');
  const [found, number = ''] = comment.slice(isEnd ? 1 : 0).split(' ');
  return mark !== '' && found === mark && /^\d{1,5}$/.test(number) ? { number: Number(number), isEnd } : null;
}

const NOTHING: Owners = { parts: new Set(), hasMarks: false };

/** Marks the elements of each part: the largest that hold nothing else. A part that comes again is left alone then. */
function markParts(tree: Root, { mark, ids }: MarkedParts): void {
  const owners = new Map<HtmlNode, Owners>();
  const seen = new Set<number>();
  let present: number | null = null;

  const look = (node: HtmlNode): Owners => {
    if (node.type === 'comment') {
      const at = partAt(node.value, mark);
      if (at === null) return NOTHING;
      present = at.isEnd || seen.has(at.number) ? null : at.number;
      seen.add(at.number);
      return { ...NOTHING, hasMarks: true };
    }
    if (node.type === 'doctype' || (node.type === 'text' && node.value.trim() === '')) return NOTHING;
    const within = childrenOf(node).map(look);
    const parts = new Set(within.flatMap((each) => [...each.parts]));
    if (parts.size === 0) parts.add(present);
    const found = { parts, hasMarks: within.some(({ hasMarks }) => hasMarks) };
    owners.set(node, found);
    return found;
  };
  const take = (node: HtmlNode): void => {
    const { parts, hasMarks } = owners.get(node) ?? NOTHING;
    const [part] = parts;
    const id = parts.size === 1 && typeof part === 'number' ? ids[part] : undefined;
    const isWhole = isElement(node) && id !== undefined && (!hasMarks || TEXT_TAGS.has(node.tagName));
    if (isWhole) node.properties['dataSection'] = id;
    else childrenOf(node).forEach(take);
  };
  look(tree);
  take(tree);
}

function withoutComments(nodes: readonly RootContent[]): RootContent[] {
  return nodes
    .filter(({ type }) => type !== 'comment' && type !== 'doctype')
    .map((node) =>
      node.type === 'element' ? { ...node, children: withoutComments(node.children) as Element['children'] } : node,
    );
}

function newElement(tagName: string, properties: Element['properties'], text = ''): Element {
  return { type: 'element', tagName, properties, children: text === '' ? [] : [{ type: 'text', value: text }] };
}

/**
 * A page of another site as a document to show: its looks, without scripts, handlers, frames, forms that send, and
 * addresses of anybody else. Whoever sends it has to forbid the same by a policy: style sheets are not parsed.
 * @param look tells the desk what this is (`data-look` of the root)
 * @param parts each element of one is marked with the id of its part (`data-section`)
 * @throws InvalidInputError where it is beyond the parser's limits
 */
export function safeForeignPage(
  html: string,
  look: string,
  addresses: ForeignAddresses,
  parts: MarkedParts = { mark: '', ids: [] },
): string {
  const clean: Root = sanitizer.runSync(parseForeignPage(html));
  const tree: Root = { ...clean, children: mapElements(clean.children, (each) => addressed(each, addresses)) };
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
