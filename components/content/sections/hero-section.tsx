import { siteHref } from '#lib/site/site-href';
import type { SiteContext } from '#lib/site/site-context';
import type { SectionFields } from '#server/core/section-fields';

interface HeroSectionProps {
  readonly fields: SectionFields<'hero'>;
  readonly site: SiteContext;
  /** The first hero of a page holds its main heading. */
  readonly isFirst: boolean;
}

/** The opening of a page, beside its picture where it has one. */
export function HeroSection({ fields, site, isFirst }: HeroSectionProps) {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref } = fields;
  const Heading = isFirst ? 'h1' : 'h2';
  return (
    <div className={image === undefined ? 'site-hero' : 'site-hero site-hero-pictured'}>
      <div className="site-hero-words">
        <Heading>{heading}</Heading>
        {subheading !== undefined && <p className="site-lead">{subheading}</p>}
        {ctaLabel !== undefined && (
          <a className="site-button" href={siteHref(ctaHref ?? '/', site.root)}>
            {ctaLabel}
          </a>
        )}
      </div>
      {image !== undefined && <img src={image} alt={imageAlt ?? ''} width={1200} height={800} fetchPriority="high" />}
    </div>
  );
}
