import { z } from 'zod';
import { defineSection } from '#server/core/sections/section-definition';
import { line, requiredProse } from '#server/core/text/safe-text';

export const quote = defineSection({
  order: 60,
  fields: z.strictObject({
    quote: requiredProse(2_000),
    author: line(120).optional(),
    role: line(160).optional(),
    layout: z.enum(['centered', 'boxed']).optional(),
  }),
  purpose: 'Someone’s words.',
  defaults: ({ quote: texts }) => texts,
  spoken: { labels: { quote: 'quote', by: 'author' }, main: 'quote' },
  sketch: ['quote', 'line', 'short'],
});
