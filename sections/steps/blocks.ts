import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { titledItems } from '#server/wordpress/blocks/text-blocks';

export const stepsBlocks: SectionMapping<'steps'> = titledItems;
