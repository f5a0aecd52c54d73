import { z } from 'zod';
import { heading, intro, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { prose } from '#server/core/text/safe-text';

export const features = defineSection({
  order: 50,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(z.strictObject({ title: heading, body: prose(2_000) })),
    layout: z.enum(['two-columns', 'three-columns', 'four-columns', 'list', 'cards']).optional(),
  }),
  purpose: 'Short points in columns.',
  defaults: { items: [] },
  main: 'items',
  spoken: { labels: { heading: 'heading', feature: 'items.title', text: 'items.body' } },
  sketch: ['title', ['box', 'box', 'box']],
});
