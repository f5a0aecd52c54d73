import { siteHref } from '#lib/site/site-href';
import type { SiteContext } from '#lib/site/site-context';
import type { SectionFields } from '#server/core/section-fields';

interface CallToActionSectionProps {
  readonly fields: SectionFields<'call-to-action'>;
  readonly site: SiteContext;
}

/** Asks the visitor for one step. */
export function CallToActionSection({ fields, site }: CallToActionSectionProps) {
  return (
    <div className="site-cta">
      <div>
        <h2>{fields.heading}</h2>
        {fields.body !== undefined && <p>{fields.body}</p>}
      </div>
      <a className="site-button" href={siteHref(fields.buttonHref, site.root)}>
        {fields.buttonLabel}
      </a>
    </div>
  );
}
