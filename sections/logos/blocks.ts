import { imageBlock } from '#server/wordpress/blocks/block-markup';
import { type BlockReader, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings } from '#server/wordpress/blocks/text-blocks';
import type { JsonObject } from '#server/core/json';

function readLogos(reader: BlockReader): JsonObject[] {
  const found: JsonObject[] = [];
  for (let logo = reader.linkedPicture(); logo !== undefined; logo = reader.linkedPicture()) {
    found.push(present({ src: logo.src, alt: logo.alt, href: logo.href }));
  }
  return found;
}

export const logosBlocks: SectionMapping<'logos'> = {
  write: ({ heading, images }, context) => [...headings(heading), ...images.map((image) => imageBlock(image, context))],
  read(reader) {
    const heading = reader.heading('h2');
    return present({ heading, images: readLogos(reader) });
  },
};
