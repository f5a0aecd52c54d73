import { block, inRow, proseBlocks } from '#server/wordpress/blocks/block-markup';
import { readQuote } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { escapeText } from '#server/markup/write-html';

/** `cite` contains the author, and on a second line the role. */
export const quoteBlocks: SectionMapping<'quote'> = {
  write({ quote, author, role }) {
    const lines = [author ?? '', ...(role === undefined ? [] : [role])].map(escapeText).join('<br>');
    const cite = lines === '' ? '' : `<cite>${lines}</cite>`;
    return [block('quote', `<blockquote class="wp-block-quote">${inRow(proseBlocks(quote))}${cite}</blockquote>`)];
  },
  read(reader) {
    const element = reader.take('blockquote');
    return element === undefined ? null : readQuote(element);
  },
  foreign: { 'core/pullquote': readQuote },
};
