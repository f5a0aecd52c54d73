import { imageBlock, linkBlock } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked } from '#server/wordpress/blocks/text-blocks';

/** The poster and a link to the video: WordPress's embed block would load the player at once. */
export const videoBlocks: SectionMapping<'video'> = {
  write: ({ heading, href, title, image, caption }, context) => [
    ...headings(heading),
    ...(image === undefined ? [] : [imageBlock({ src: image, alt: '' }, context)]),
    linkBlock({ field: 'video-link', href, label: title }, context),
    ...marked('caption', caption),
  ],
  read(reader) {
    const heading = reader.heading('h2');
    const picture = reader.picture();
    const link = reader.link('video-link');
    return present({
      heading,
      href: link?.href,
      title: link?.label,
      image: picture?.src,
      caption: reader.marked('caption'),
    });
  },
};
