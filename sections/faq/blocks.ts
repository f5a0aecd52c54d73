import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, readTitled, titled } from '#server/wordpress/blocks/text-blocks';

export const faqBlocks: SectionMapping<'faq'> = {
  write: ({ heading, items }) => [
    ...headings(heading),
    ...titled(items.map(({ question, answer }) => [question, answer])),
  ],
  read: (reader) => present({ heading: reader.heading('h2'), items: readTitled(reader, 'question', 'answer') }),
};
