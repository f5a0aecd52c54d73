import { markdownHtml } from '#server/markup/markdown';
import { type SiteRoot, siteHref } from '#lib/site/site-href';
import { plainNotice } from '#lib/ui/safe-html';

function unescaped(attribute: string): string {
  return attribute.replace(/&quot;|&lt;|&gt;|&amp;/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** A text as it is written: its empty lines part paragraphs. */
function plainHtml(text: string, root: SiteRoot): string {
  const paragraphs = text.split(/\n[ \t]*\n/).map((paragraph) => `<p>${escaped(paragraph)}</p>`);
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
    .replace(/<a href="([^"]*)"/g, (_, href: string) => `<a href="${escaped(siteHref(unescaped(href), root))}"`)
    .replaceAll('<img src=', '<img loading="lazy" src=')
    .replace(/<table>/g, '<div class="site-table"><table>')
    .replaceAll('</table>', '</table></div>');
}
