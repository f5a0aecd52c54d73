import { z } from 'zod';
import { heading, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { requiredLine, requiredProse } from '#server/core/text/safe-text';

export const faq = defineSection({
  order: 70,
  fields: z.strictObject({
    heading: heading.optional(),
    items: listOf(z.strictObject({ question: requiredLine(400), answer: requiredProse(5_000) })),
    layout: z.enum(['open', 'two-columns']).optional(),
  }),
  purpose: 'Questions and answers.',
  defaults: { items: [] },
  main: 'items',
  spoken: { labels: { heading: 'heading', question: 'items.question', answer: 'items.answer' } },
  sketch: ['title', 'fold', 'fold', 'fold'],
});
