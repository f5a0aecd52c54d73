import { escapeAttribute } from '#server/markup/html-tree';
import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { isDraftRoot, siteHref, type SiteRoot } from '#components/content/text/site-href';
import { editorStrings } from '#components/content/text/words';
import { spoken } from '#components/in-your-language';
import { createTextCache } from '#server/core/bounded-map';
import { markdownHtml } from '#server/markup/markdown';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { htmlRules, keptTags } from '#server/markup/sanitize-rules';

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

const sanitizer = unified().use(rehypeSanitize, schema).freeze();
const writer = unified().use(rehypeStringify).freeze();

/** Tags taken out of HTML that is beyond the parser's limits; the words say so to whoever edits the site. */
function bareWords(html: string, root: SiteRoot): string {
  const words = html.replace(/<[^<>]*>/g, ' ').replace(/&(?![a-z#]\w*;)/gi, '&amp;');
  return `${plainNotice(root)}<p>${words.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`;
}

/** Notice for editors, not visitors, that a text is shown as plain text. */
function plainNotice(root: SiteRoot): string {
  return isDraftRoot(root) ? `<p class="site-notice" role="note">${editorStrings.tooHeavy}</p>` : '';
}

function rendered(html: string, root: SiteRoot): string {
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) return bareWords(html, root);
  const clean: Root = sanitizer.runSync(tree);
  return writer.stringify({ ...clean, children: fittedChildren(clean.children, root) });
}

/** Characters of HTML, written and rendered, that are kept: those of some pages, which visitors ask for again and again. */
const KEPT_CHARACTERS = 16_000_000;
const kept = createTextCache<string>(KEPT_CHARACTERS, (html) => html.length);

/**
 * HTML that anybody may have written, as HTML for our pages: no scripts, styles, frames, forms or event handlers, no
 * addresses but http(s), mailto, tel and paths, no ids or names, no classes but those of WordPress's blocks. Links of the
 * site lead below `root`. Headings stay as they are: those of WordPress's content too begin below the page's title.
 * @param isPlain it is beyond what its page may cost: its words alone
 */
export function safeHtml(html: string, root: SiteRoot, isPlain = false): string {
  if (isPlain) return bareWords(html, root);
  // With the language: of what is too heavy, editors read a notice.
  return kept(`${root} ${spoken().code} ${html}`, () => rendered(html, root));
}

function unescaped(attribute: string): string {
  return attribute.replace(/&quot;|&lt;|&gt;|&amp;/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** A text as it is written: its empty lines part paragraphs. */
function plainHtml(text: string, root: SiteRoot): string {
  const paragraphs = text.split(/\n[ \t]*\n/).map((paragraph) => `<p>${escapeAttribute(paragraph)}</p>`);
  return [plainNotice(root), ...paragraphs].join('\n');
}

/**
 * Markdown as safe HTML. Every tag in the output of `markdownHtml` is its own, and can be matched exactly. Headings go
 * down by two: the page has the first, the section the second. A text that would cost too much is shown as it is written.
 * @param isPlain it is beyond what its page may cost, and shown as it is written, too
 */
export function markdownToHtml(markdown: string, root: SiteRoot, isPlain = false): string {
  const html = isPlain ? null : markdownHtml(markdown);
  if (html === null) return plainHtml(markdown, root);
  return html
    .replace(
      /<(\/?)h([1-6])(?=[ >])/g,
      (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + 2, 6)}`,
    )
    .replace(/<a href="([^"]*)"/g, (_, href: string) => `<a href="${escapeAttribute(siteHref(unescaped(href), root))}"`)
    .replaceAll('<img src=', '<img loading="lazy" src=')
    .replace(/<table>/g, '<div class="site-table"><table>')
    .replaceAll('</table>', '</table></div>');
}
