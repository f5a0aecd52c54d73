import { Picture } from '#components/content/picture';
import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { siteHref } from '#components/content/text/site-href.ts';

/** Logos next to each other, each with a link if it has one. */
function Content({ fields: { heading, images, layout }, site, mark }: SectionProps<'logos'>) {
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <ul className="site-logos" data-layout={layout} {...mark('images')}>
        {images.map(({ src, alt, href }, index) => {
          const picture = <Picture src={src} alt={alt} place="column" site={site} mark={mark(`images.${index}`)} />;
          return (
            <li key={index}>{href === undefined ? picture : <a href={siteHref(href, site.root)}>{picture}</a>}</li>
          );
        })}
      </ul>
    </>
  );
}

export const logosView: SectionDisplay<'logos'> = { Content };
