import { buttonBlock } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';

export const callToActionBlocks: SectionMapping<'call-to-action'> = {
  write: ({ heading, body, buttonLabel, buttonHref }, context) => [
    ...headings(heading),
    ...prose(body),
    buttonBlock(buttonLabel, buttonHref, context),
  ],
  read(reader) {
    const heading = reader.heading('h2', 'h3');
    const body = reader.prose();
    const button = reader.button();
    return present({ heading, body, buttonLabel: button?.label, buttonHref: button?.href });
  },
};
