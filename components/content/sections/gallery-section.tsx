import { Figure } from '#components/content/sections/figure';
import { SectionHeading } from '#components/content/sections/section-heading';
import type { SectionFields } from '#server/core/section-fields';

/** Pictures side by side. */
export function GallerySection({ fields }: { readonly fields: SectionFields<'gallery'> }) {
  return (
    <>
      <SectionHeading heading={fields.heading} />
      <div className="site-gallery">
        {fields.images.map((image, index) => (
          <Figure key={index} {...image} />
        ))}
      </div>
    </>
  );
}
