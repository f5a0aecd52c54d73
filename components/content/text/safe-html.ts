import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { isDraftRoot, siteHref, type SiteRoot } from '#components/content/text/site-href.ts';
import { translator } from '#components/i18n.ts';
import { currentLanguage } from '#components/language.ts';
import { isReadableAddress } from '#server/core/addresses';
import { createTextCache } from '#server/core/bounded-map';
import { markdownHtml } from '#server/markup/markdown-html';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { htmlRules, keptTags } from '#server/markup/sanitize-rules';
import { escapeAttribute } from '#server/markup/write-html';

const t = translator('draftPreview');

/** WordPress block classes that describe appearance; any other class could belong to our own pages. */
const STYLE_CLASS = /^(?:wp-(?:block|element)-[\w-]+|has-text-align-[a-z]+|align(?:left|right|center|wide|full))$/;

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: keptTags(defaultSchema.tagNames ?? []),
  strip: htmlRules.strip,
  required: {},
  attributes: { ...htmlRules.attributes, '*': [...htmlRules.globalAttributes, ['className', STYLE_CLASS]] },
  protocols: htmlRules.protocols,
};

/** Adapts an element to our pages: the page's title is the only heading of level 1, and wide tables scroll. */
function adaptElement(element: Element, root: SiteRoot): Element {
  const { tagName, properties } = element;
  if (tagName === 'h1') return { ...element, tagName: 'h2' };
  if (tagName === 'img' && typeof properties.src === 'string' && !isReadableAddress(properties.src)) {
    const alt = typeof properties.alt === 'string' ? properties.alt : '';
    return { type: 'element', tagName: 'span', properties: {}, children: [{ type: 'text', value: alt }] };
  }
  if (tagName === 'img') return { ...element, properties: { ...properties, loading: 'lazy' } };
  if (tagName === 'table') {
    return { type: 'element', tagName: 'div', properties: { className: ['site-table'] }, children: [element] };
  }
  const { href } = properties;
  if (tagName !== 'a' || typeof href !== 'string') return element;
  return { ...element, properties: { ...properties, href: siteHref(href, root) } };
}

function adaptChildren(nodes: readonly RootContent[], root: SiteRoot): RootContent[] {
  return nodes.map((node) =>
    node.type === 'element'
      ? adaptElement({ ...node, children: adaptChildren(node.children, root) as Element['children'] }, root)
      : node,
  );
}

const sanitizer = unified().use(rehypeSanitize, schema).freeze();
const writer = unified().use(rehypeStringify).freeze();

/** Text without tags, for HTML beyond the parser's limits; a notice tells editors why. */
function textOnlyHtml(html: string, root: SiteRoot): string {
  const words = html.replace(/<[^<>]*>/g, ' ').replace(/&(?![a-z#]\w*;)/gi, '&amp;');
  return `${plainNotice(root)}<p>${words.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`;
}

/** Notice, for editors only, that a text is shown as plain text. */
function plainNotice(root: SiteRoot): string {
  return isDraftRoot(root) ? `<p class="site-notice" role="note">${t('tooHeavy')}</p>` : '';
}

/** The HTML without anything that is not allowed, adapted to our pages; see safeHtml. */
function sanitize(html: string, root: SiteRoot): string {
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) return textOnlyHtml(html, root);
  const clean: Root = sanitizer.runSync(tree);
  return writer.stringify({ ...clean, children: adaptChildren(clean.children, root) });
}

/** Cache size: characters of input and output together. Enough for the pages that visitors request repeatedly. */
const CACHE_CHARACTERS = 16_000_000;
const cached = createTextCache<string>(CACHE_CHARACTERS, (html) => html.length);

/**
 * Sanitizes HTML of any author for our pages: no scripts, styles, frames, forms or event handlers, no addresses but
 * http(s), mailto, tel and paths, no ids or names, no classes but those of WordPress's blocks. Links of the site lead
 * below `root`. Headings keep their level, because those of WordPress's content also begin below the page's title.
 * @param isPlain the page's limit is exceeded: returns the text without markup
 */
export function safeHtml(html: string, root: SiteRoot, isPlain = false): string {
  if (isPlain) return textOnlyHtml(html, root);
  // The key includes the language, because editors read a notice for HTML beyond the limits.
  return cached(`${root} ${currentLanguage().code} ${html}`, () => sanitize(html, root));
}

function unescapeEntities(attribute: string): string {
  return attribute.replace(/&quot;|&lt;|&gt;|&amp;/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** A plain text as HTML; empty lines separate paragraphs. */
function plainHtml(text: string, root: SiteRoot): string {
  const paragraphs = text.split(/\n[ \t]*\n/).map((paragraph) => `<p>${escapeAttribute(paragraph)}</p>`);
  return [plainNotice(root), ...paragraphs].join('\n');
}

/**
 * Markdown as safe HTML. Headings move down two levels: the page has the first, the section the second. A text that is
 * too expensive to parse is shown as plain text.
 *
 * The regular expressions are exact, because `markdownHtml` escapes the text and writes all tags itself.
 * @param isPlain the page's limit is exceeded: returns plain text
 */
export function markdownToHtml(markdown: string, root: SiteRoot, isPlain = false): string {
  const html = isPlain ? null : markdownHtml(markdown);
  if (html === null) return plainHtml(markdown, root);
  return (
    html
      .replace(
        /<(\/?)h([1-6])(?=[ >])/g,
        (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + 2, 6)}`,
      )
      .replace(/<a href="([^"]*)"/g, (_, written: string) => {
        const href = siteHref(unescapeEntities(written), root);
        return href === undefined ? '<a' : `<a href="${escapeAttribute(href)}"`;
      })
      .replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, (tag, src: string, alt: string) =>
        isReadableAddress(unescapeEntities(src)) ? tag : alt,
      )
      // A picture that is a paragraph of its own, perhaps with a link: its title is its caption.
      .replace(
        /<p>((?:<a[^>]*>)?<img src="[^"]*" alt="[^"]*") title="([^"]+)"( \/>(?:<\/a>)?)<\/p>/g,
        '<figure>$1$3<figcaption>$2</figcaption></figure>',
      )
      .replaceAll('<img src=', '<img loading="lazy" src=')
      .replace(/<table>/g, '<div class="site-table"><table>')
      .replaceAll('</table>', '</table></div>')
  );
}
