import { block } from '#server/wordpress/blocks/block-markup';
import { htmlForSite } from '#server/wordpress/blocks/clean-html';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';

export const htmlBlocks: SectionMapping<'html'> = {
  write: (fields, context) => [block('html', htmlForSite(fields.html, context))],
  isUngrouped: true,
};
