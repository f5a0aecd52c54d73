import { quoteBlock } from '#server/wordpress/blocks/block-markup';
import { readQuote } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';

export const quoteBlocks: SectionMapping<'quote'> = {
  write: (fields) => [quoteBlock(fields)],
  read(reader) {
    const element = reader.take('blockquote');
    return element === undefined ? null : readQuote(element);
  },
  foreign: { 'core/pullquote': readQuote },
};
