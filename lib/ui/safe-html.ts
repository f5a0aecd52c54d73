import type { Element, Root, RootContent } from 'hast';
import rehypeParse from 'rehype-parse';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
// Nothing but strings, and used where pages are rendered; two looks at the same HTML must not differ.
// oxlint-disable-next-line no-restricted-imports
import { nestsTooDeep } from '#server/core/html-nesting';
// oxlint-disable-next-line no-restricted-imports -- the same rules for what is kept and what is shown
import { htmlRules, keptTags } from '#server/core/html-rules';
import { type SiteRoot, siteHref } from '#lib/site/site-href';

/** Classes of WordPress's blocks that say how they look; any other could be one of our own pages. */
const LOOK_CLASS = /^(?:wp-(?:block|element)-[\w-]+|has-text-align-[a-z]+|align(?:left|right|center|wide|full))$/;

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: keptTags(defaultSchema.tagNames ?? []),
  strip: htmlRules.strip,
  required: {},
  attributes: { ...htmlRules.attributes, '*': [...htmlRules.globalAttributes, ['className', LOOK_CLASS]] },
  protocols: htmlRules.protocols,
};

/** An element as our pages have it: the page's title is the only heading of level 1, wide tables scroll. */
function fitted(element: Element, root: SiteRoot): Element {
  const { tagName, properties } = element;
  if (tagName === 'h1') return { ...element, tagName: 'h2' };
  if (tagName === 'img') return { ...element, properties: { ...properties, loading: 'lazy' } };
  if (tagName === 'table') {
    return { type: 'element', tagName: 'div', properties: { className: ['site-table'] }, children: [element] };
  }
  const { href } = properties;
  if (tagName !== 'a' || typeof href !== 'string') return element;
  return { ...element, properties: { ...properties, href: siteHref(href, root) } };
}

function fittedChildren(nodes: readonly RootContent[], root: SiteRoot): RootContent[] {
  return nodes.map((node) =>
    node.type === 'element'
      ? fitted({ ...node, children: fittedChildren(node.children, root) as Element['children'] }, root)
      : node,
  );
}

const reader = unified().use(rehypeParse, { fragment: true }).use(rehypeSanitize, schema).freeze();
const writer = unified().use(rehypeStringify).freeze();

function bareWords(html: string): string {
  const words = html.replace(/<[^<>]*>/g, ' ').replace(/&(?![a-z#]\w*;)/gi, '&amp;');
  return `<p>${words.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`;
}

/**
 * HTML that anybody may have written, as HTML for our pages: no scripts, styles, frames, forms or event handlers, no
 * addresses but http(s), mailto, tel and paths, no ids or names, no classes but those of WordPress's blocks. Links of the
 * site lead below `root`. Headings stay as they are: those of WordPress's content too begin below the page's title.
 */
export function safeHtml(html: string, root: SiteRoot): string {
  if (nestsTooDeep(html)) return bareWords(html);
  try {
    const tree: Root = reader.runSync(reader.parse(html));
    return writer.stringify({ ...tree, children: fittedChildren(tree.children, root) });
  } catch (error) {
    // Tags that do not match can nest deeper than they seem to.
    if (error instanceof RangeError) return bareWords(html);
    throw error;
  }
}
