import { imageBlock } from '#server/wordpress/blocks/block-markup';
import { pictureFields } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';

export const imageBlocks: SectionMapping<'image'> = {
  write: (fields, context) => [imageBlock(fields, context)],
  isUngrouped: true,
  read(reader) {
    const picture = reader.picture();
    return picture === undefined ? null : { ...picture };
  },
  foreign: { 'core/image': pictureFields },
};
