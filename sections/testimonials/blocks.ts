import { quoteBlock } from '#server/wordpress/blocks/block-markup';
import { type BlockReader, type Fields, present, readQuote } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings } from '#server/wordpress/blocks/text-blocks';

/** Reads all quotes; null if one contains something else. */
function readQuotes(reader: BlockReader): Fields[] | null {
  const found: Fields[] = [];
  for (let element = reader.take('blockquote'); element !== undefined; element = reader.take('blockquote')) {
    const quote = readQuote(element);
    if (quote === null) return null;
    found.push(quote);
  }
  return found;
}

export const testimonialsBlocks: SectionMapping<'testimonials'> = {
  write: ({ heading, items }) => [...headings(heading), ...items.map(quoteBlock)],
  read(reader) {
    const heading = reader.heading('h2');
    const items = readQuotes(reader);
    return items === null ? null : present({ heading, items });
  },
};
