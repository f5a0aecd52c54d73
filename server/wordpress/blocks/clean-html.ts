import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import { unified } from 'unified';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { attribute, classesOf, mapElements, storable, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { htmlRules, keptTags } from '#server/markup/sanitize-rules';
import { escapeText, htmlOf } from '#server/markup/write-html';

/** Longest `html` field, see sections/html/fields. */
const MAX_FIELD_LENGTH = 200_000;

/** Classes that style a block; all others could belong to any theme or plugin. */
const BLOCK_CLASS =
  /^(?:wp-(?:block|image|element)-[\w-]+|align[a-z]+|has-[\w-]+|is-[\w-]+|size-[\w-]+|throughline-[\w-]+)$/;

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: keptTags(defaultSchema.tagNames ?? []),
  strip: htmlRules.strip,
  required: {},
  attributes: {
    ...htmlRules.attributes,
    code: [['className', /^language-[\w+#-]+$/]],
    '*': [...htmlRules.globalAttributes, ['className', BLOCK_CLASS]],
  },
  protocols: htmlRules.protocols,
};

const sanitizer = unified().use(rehypeSanitize, schema).freeze();

/** @param place position in the source of the element that the link replaces */
function linkTo(href: string, place: Element['position']): Element {
  const words: RootContent = { type: 'text', value: href };
  const position = place === undefined ? {} : { position: place };
  return { type: 'element', tagName: 'a', properties: { href }, children: [words], ...position };
}

const ADDRESS = /^https?:\/\/\S{1,2000}$/;

/**
 * Replaces a frame by a link to what it plays; also a video or audio file of the page, and an address that WordPress
 * would turn into a player.
 */
function linkedFrame(element: Element): readonly RootContent[] {
  if (classesOf(element).includes('wp-block-embed__wrapper')) {
    const address = element.children.map(wordsOf).join('').trim();
    return ADDRESS.test(address) ? [{ ...element, children: [linkTo(address, element.position)] }] : [element];
  }
  if (!['iframe', 'video', 'audio'].includes(element.tagName)) return [element];
  const src = attribute(element, 'src');
  return src !== undefined && /^(?:https?:)?\/\/?[^/]/i.test(src) ? [linkTo(src, element.position)] : element.children;
}

/** A tree without scripts, forms and hidden elements; frames and players become links. */
export function sanitized(tree: Root): Root {
  return sanitizer.runSync({ ...tree, children: mapElements(tree.children, linkedFrame) });
}

/** The tree with every address converted by `to`. */
export function withAddresses(tree: Root, to: (href: string) => string): Root {
  const children = mapElements(tree.children, (element) => {
    const { href, src } = element.properties;
    const properties = {
      ...element.properties,
      ...(typeof href === 'string' && { href: to(href) }),
      ...(typeof src === 'string' && { src: to(src) }),
    };
    return [{ ...element, properties }];
  });
  return { ...tree, children };
}

/** The text without tags and comments, for markup that cannot be parsed. */
function bareWords(html: string): string {
  const words = storable(html.replace(/<!--[^]*?(?:-->|$)|<[^<>]*>/g, ' '));
  // An escaped character takes up to five characters.
  return escapeText(words.slice(0, MAX_FIELD_LENGTH / 5));
}

function cleaned(html: string, to: (href: string) => string): string {
  const tree = parseHtmlWithinLimits(html);
  return tree === null ? bareWords(html) : htmlOf(withAddresses(sanitized(tree), to).children).trim();
}

/** Cleans the markup of a block for the `html` field of a section; cuts only what exceeds the field. */
export function cleanHtml(html: string, context: BlockContext): string {
  const clean = cleaned(html, (href) => context.toLocal(href));
  return clean.length <= MAX_FIELD_LENGTH ? clean : bareWords(clean);
}

/** Longest part of a split element: less than a field holds, because each part repeats the tags around it. */
const MAX_PART_LENGTH = 150_000;

/**
 * Cleans markup for as many `html` fields as necessary, without cutting anything. Elements that are too long are split
 * between their children, text between its words; markup beyond the parser's limits becomes text.
 */
export function cleanHtmlParts(html: string, context: BlockContext): string[] {
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) {
    const words = storable(html.replace(/<!--[^]*?(?:-->|$)|<[^<>]*>/g, ' '));
    return textParts(words, MAX_FIELD_LENGTH / 5).map(escapeText);
  }
  const clean = withAddresses(sanitized(tree), (href) => context.toLocal(href));
  return nodeParts(clean.children).map((nodes) => htmlOf(nodes).trim());
}

/** A text in pieces of at most `max` characters, split at white space if possible. */
function textParts(text: string, max: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const most = text.slice(at, at + max);
    const isLast = at + most.length >= text.length;
    const line = most.lastIndexOf('\n');
    const space = isLast ? -1 : line > max / 2 ? line : Math.max(line, most.lastIndexOf(' '));
    const part = space > 0 ? most.slice(0, space + 1) : most;
    parts.push(part);
    at += part.length;
  }
  return parts;
}

/** Nodes in groups that each fit into one field. */
function nodeParts(nodes: readonly RootContent[]): RootContent[][] {
  const groups: RootContent[][] = [];
  let length = MAX_PART_LENGTH;
  for (const node of nodes.flatMap(splitNode)) {
    const own = htmlOf([node]).length;
    if (length + own > MAX_PART_LENGTH) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(node);
    length += own;
  }
  return groups;
}

/** A node, or the parts of a node that is too long, each with the tags around it. */
function splitNode(node: RootContent): RootContent[] {
  if (htmlOf([node]).length <= MAX_PART_LENGTH) return [node];
  if (node.type === 'text') return textParts(node.value, MAX_PART_LENGTH / 5).map((value) => ({ type: 'text', value }));
  if (node.type !== 'element') return [node];
  let items = Number(attribute(node, 'start') ?? 1);
  return nodeParts(node.children).map((children, index) => {
    const start = index === 0 || node.tagName !== 'ol' ? {} : { start: items };
    items += children.filter((child) => child.type === 'element' && child.tagName === 'li').length;
    return { ...node, properties: { ...node.properties, ...start }, children: children as Element['children'] };
  });
}

/** The `html` field of a section for a site: cleaned the same way, with the site's addresses. */
export function htmlForSite(html: string, context: BlockContext): string {
  return cleaned(html, (href) => context.toRemote(href));
}
