import { imageBlock, linkBlock } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';

export const mapBlocks: SectionMapping<'map'> = {
  write: ({ heading, address, image, imageAlt, href }, context) => [
    ...headings(heading),
    ...(image === undefined ? [] : [imageBlock({ src: image, alt: imageAlt ?? '' }, context)]),
    ...prose(address),
    ...(href === undefined ? [] : [linkBlock({ field: 'href', href, label: 'Map' }, context)]),
  ],
  read(reader) {
    const heading = reader.heading('h2');
    const picture = reader.picture();
    return present({
      heading,
      address: reader.prose(),
      image: picture?.src,
      imageAlt: picture?.alt === '' ? undefined : picture?.alt,
      href: reader.link('href')?.href,
    });
  },
};
