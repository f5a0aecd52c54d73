import { z } from 'zod';
import { heading, intro, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { line, linkSchema } from '#server/core/text/safe-text';

export const downloads = defineSection({
  order: 59,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(z.strictObject({ title: heading, href: linkSchema, body: line(300).optional() })),
    layout: z.enum(['cards']).optional(),
  }),
  purpose: 'Links to files.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['field', 'short'], ['field', 'short']],
});
