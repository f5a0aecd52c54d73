import { z } from 'zod';
import { heading, intro, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { prose } from '#server/core/text/safe-text';

export const steps = defineSection({
  order: 55,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(z.strictObject({ title: heading, body: prose(1_000) })),
    layout: z.enum(['columns']).optional(),
  }),
  purpose: 'Numbered steps.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', 'field', 'field', 'field'],
});
