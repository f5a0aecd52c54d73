import { Figure, SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** Number of pictures in the first row of a gallery. */
const FIRST_ROW_PICTURES = 3;

/** Pictures side by side. */
function Content({ fields, site, mark, loadsFirst }: SectionProps<'gallery'>) {
  const { heading, layout } = fields;
  return (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <div
        className="site-gallery"
        data-layout={layout}
        {...(layout === 'row' && { role: 'region', 'aria-label': heading ?? site.texts.pictures, tabIndex: 0 })}
        {...mark('images')}
      >
        {fields.images.map((image, index) => (
          <Figure
            key={index}
            {...image}
            field={`images.${index}`}
            place="column"
            site={site}
            mark={mark}
            loadsFirst={loadsFirst && index < FIRST_ROW_PICTURES}
          />
        ))}
      </div>
    </>
  );
}

export const galleryView: SectionDisplay<'gallery'> = {
  Content,
  pictures: ({ images }) => images.map(({ src }) => src),
};
