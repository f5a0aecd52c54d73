import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type SiteRoot, siteHref } from '#lib/site/site-href';

function unescaped(attribute: string): string {
  return attribute.replace(/&quot;|&lt;|&gt;|&amp;/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/**
 * Markdown as safe HTML. micromark escapes HTML in the text and drops addresses of any scheme but http(s), mailto and
 * the like; so every tag in its output is its own, and can be matched exactly. Headings go down by two: the page has
 * the first, the section the second.
 */
export function markdownToHtml(markdown: string, root: SiteRoot): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
    .replace(
      /<(\/?)h([1-6])(?=[ >])/g,
      (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + 2, 6)}`,
    )
    .replace(/<a href="([^"]*)"/g, (_, href: string) => `<a href="${escaped(siteHref(unescaped(href), root))}"`)
    .replaceAll('<img src=', '<img loading="lazy" src=')
    .replace(/<table>/g, '<div class="site-table"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** Running text of a section. */
export function Markdown({ text, root }: { readonly text: string; readonly root: SiteRoot }) {
  // Safe: see markdownToHtml.
  return <div className="site-prose" dangerouslySetInnerHTML={{ __html: markdownToHtml(text, root) }} />;
}
