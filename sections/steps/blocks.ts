import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose, readTitled, titled } from '#server/wordpress/blocks/text-blocks';

export const stepsBlocks: SectionMapping<'steps'> = {
  write: ({ heading, intro, items }) => [
    ...headings(heading),
    ...prose(intro),
    ...titled(items.map(({ title, body }) => [title, body])),
  ],
  read(reader) {
    const heading = reader.heading('h2');
    return present({ heading, intro: reader.prose(), items: readTitled(reader, 'title', 'body') });
  },
};
