import { Picture } from '#components/content/picture';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { siteHref } from '#components/content/text/site-href.ts';

/** The opening of a page, next to its picture if it has one. The first hero of a page contains its main heading. */
function Content({ fields, site, mark, hasMainHeading, loadsFirst }: SectionProps<'hero'>) {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref, layout } = fields;
  const Heading = hasMainHeading ? 'h1' : 'h2';
  // Without a picture there is nothing to cover.
  const shownLayout = layout === 'cover' && image === undefined ? undefined : layout;
  return (
    <div className={image === undefined ? 'site-hero' : 'site-hero site-hero-pictured'} data-layout={shownLayout}>
      <div className="site-hero-words">
        <Heading {...mark('heading', 'line')}>{heading}</Heading>
        {subheading !== undefined && (
          <p className="site-lead" {...mark('subheading', 'prose')}>
            {subheading}
          </p>
        )}
        {ctaLabel !== undefined && (
          <a className="site-button" href={siteHref(ctaHref ?? '/', site.root)} {...mark('ctaLabel', 'line')}>
            {ctaLabel}
          </a>
        )}
      </div>
      {image !== undefined && (
        <Picture
          src={image}
          alt={imageAlt ?? ''}
          place={layout === 'centered' || layout === 'cover' ? 'page' : 'half'}
          site={site}
          loadsFirst={loadsFirst}
          mark={mark('image')}
        />
      )}
    </div>
  );
}

export const heroView: SectionDisplay<'hero'> = { Content, pictures: ({ image }) => [image] };
