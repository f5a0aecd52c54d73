import { Picture } from '#components/content/picture';
import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { siteHref } from '#components/content/text/site-href.ts';

/** Search of OpenStreetMap for an address. */
function searchFor(address: string): string {
  return `https://www.openstreetmap.org/search?query=${encodeURIComponent(address.split(/\s*\n\s*/).join(', '))}`;
}

/** Where a place is: a picture of a map, and a link to a map service. The page itself requests nothing from it. */
function Content({ fields, site, mark }: SectionProps<'map'>) {
  const { heading, address, image, imageAlt, href, layout } = fields;
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <div className="site-map" data-layout={image === undefined ? undefined : layout}>
        {image !== undefined && (
          <Picture
            src={image}
            alt={imageAlt ?? ''}
            place={layout === undefined ? 'page' : 'half'}
            site={site}
            mark={mark('image')}
          />
        )}
        <address>
          <p {...mark('address', 'prose')}>{address}</p>
          <a
            className="site-button"
            href={siteHref(href ?? searchFor(address), site.root)}
            rel="noopener"
            {...mark('href')}
          >
            {site.texts.openMap}
          </a>
        </address>
      </div>
    </>
  );
}

export const mapView: SectionDisplay<'map'> = { Content };
