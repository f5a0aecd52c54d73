import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { siteHref } from '#components/content/text/site-href.ts';

function Content({ fields, site, mark }: SectionProps<'call-to-action'>) {
  return (
    <div className="site-cta" data-layout={fields.layout}>
      <div>
        <h2 {...mark('heading', 'line')}>{fields.heading}</h2>
        {fields.body !== undefined && <p {...mark('body', 'prose')}>{fields.body}</p>}
      </div>
      <a className="site-button" href={siteHref(fields.buttonHref, site.root)} {...mark('buttonLabel', 'line')}>
        {fields.buttonLabel}
      </a>
    </div>
  );
}

export const callToActionView: SectionDisplay<'call-to-action'> = { Content };
