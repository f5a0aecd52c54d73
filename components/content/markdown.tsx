import type { SiteRoot } from '#lib/site/site-href';
import { markdownToHtml } from '#lib/ui/safe-markdown';

interface MarkdownProps {
  readonly text: string;
  readonly root: SiteRoot;
  /** Shown as it is written. */
  readonly isPlain: boolean;
}

/** Running text of a section. */
export function Markdown({ text, root, isPlain }: MarkdownProps) {
  // Safe: see markdownToHtml.
  return <div className="site-prose" dangerouslySetInnerHTML={{ __html: markdownToHtml(text, root, isPlain) }} />;
}
