import { z } from 'zod';
import { heading, intro, listOf, note } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { prose, requiredLine } from '#server/core/text/safe-text';

export const priceList = defineSection({
  order: 51,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(z.strictObject({ title: heading, price: requiredLine(60), body: prose(500).optional() })),
    note: note.optional(),
    layout: z.enum(['two-columns', 'cards']).optional(),
  }),
  purpose: 'Prices.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['short', 'field'], ['short', 'field'], ['short', 'field']],
});
