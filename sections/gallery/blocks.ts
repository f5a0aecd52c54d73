import { galleryBlock } from '#server/wordpress/blocks/block-markup';
import { galleryFields, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings } from '#server/wordpress/blocks/text-blocks';

export const galleryBlocks: SectionMapping<'gallery'> = {
  write: ({ heading, images }, context) => [...headings(heading), galleryBlock(images, context)],
  read(reader) {
    const heading = reader.heading('h2');
    const images = reader.gallery();
    return images === undefined ? null : present({ heading, images: images.map((picture) => ({ ...picture })) });
  },
  foreign: { 'core/gallery': galleryFields },
};
