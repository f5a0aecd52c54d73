import { classOfTag, tagOfClass, voidBlock } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings } from '#server/wordpress/blocks/text-blocks';

export const postsListBlocks: SectionMapping<'posts-list'> = {
  write: ({ heading, count, tag }) => [
    ...headings(heading),
    voidBlock('latest-posts', { postsToShow: count, className: tag === undefined ? undefined : classOfTag(tag) }),
  ],
  read(reader) {
    const heading = reader.heading('h2');
    const list = reader.block?.innerBlocks.at(-1);
    const count: unknown = list?.attrs?.['postsToShow'];
    if (list?.blockName !== 'core/latest-posts' || typeof count !== 'number') return null;
    const className: unknown = list.attrs?.['className'];
    return present({ heading, count, tag: typeof className === 'string' ? tagOfClass(className) : undefined });
  },
};
