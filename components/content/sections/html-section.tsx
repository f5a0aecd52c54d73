import { safeHtml } from '#lib/ui/safe-html';
import type { SiteContext } from '#lib/site/site-context';
import type { SectionFields } from '#server/core/section-fields';

interface HtmlSectionProps {
  readonly fields: SectionFields<'html'>;
  readonly site: SiteContext;
  /** Only its words are shown. */
  readonly isPlain: boolean;
}

/** What no other section type can hold. */
export function HtmlSection({ fields, site, isPlain }: HtmlSectionProps) {
  // Safe: see safeHtml.
  return (
    <div
      className="site-prose site-html"
      dangerouslySetInnerHTML={{ __html: safeHtml(fields.html, site.root, isPlain) }}
    />
  );
}
