import { z } from 'zod';
import { heading, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { line, requiredProse } from '#server/core/text/safe-text';

export const testimonials = defineSection({
  order: 62,
  fields: z.strictObject({
    heading: heading.optional(),
    items: listOf(
      z.strictObject({
        quote: requiredProse(1_000),
        author: line(120).optional(),
        role: line(160).optional(),
      }),
    ),
    layout: z.enum(['two-columns', 'list']).optional(),
  }),
  purpose: 'What several customers say; never invent.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['quote', 'quote', 'quote'], ['short', 'short', 'short']],
});
