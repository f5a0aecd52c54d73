import { withPictureSizes } from '#components/content/picture';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { safeHtml } from '#components/content/text/safe-html.ts';
import { isDraftRoot } from '#components/content/text/site-href.ts';
import { translator } from '#components/i18n.ts';
import type { SectionFields } from '#server/core/site/section-fields';
import { removedElements } from '#server/markup/removed-elements';

const t = translator('draftPreview');

/** True for a section whose content only a plugin or the CMS itself can render. */
function showsNothing({ html, block }: SectionFields<'html'>): boolean {
  return html === '' && block !== undefined;
}

/** Content that no other section type can represent. */
function Content({ fields, site, mark, isPlain }: SectionProps<'html'>) {
  if (showsNothing(fields)) {
    return (
      <div className="site-prose site-html" {...mark('html')}>
        <p className="site-notice" role="note">
          {t('notShown', { what: fields.block ?? '' })}
        </p>
      </div>
    );
  }
  const removed = isDraftRoot(site.root) ? removedElements(fields.html) : [];
  // Safe: see safeHtml.
  return (
    <>
      {removed.length > 0 && (
        <p className="site-notice" role="note">
          {t('removed', { names: removed.map((name) => `<${name}>`).join(', ') })}
        </p>
      )}
      <div
        className="site-prose site-html"
        {...mark('html')}
        dangerouslySetInnerHTML={{ __html: withPictureSizes(safeHtml(fields.html, site.root, isPlain), site) }}
      />
    </>
  );
}

export const htmlView: SectionDisplay<'html'> = { Content, isHidden: showsNothing };
