import type { SiteRoot } from '#lib/site/site-href';
import { markdownToHtml } from '#lib/ui/safe-markdown';

/** Running text of a section. */
export function Markdown({ text, root }: { readonly text: string; readonly root: SiteRoot }) {
  // Safe: see markdownToHtml.
  return <div className="site-prose" dangerouslySetInnerHTML={{ __html: markdownToHtml(text, root) }} />;
}
