import { z } from 'zod';
import { alt, heading, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { imageSourceSchema, linkSchema } from '#server/core/text/safe-text';

export const logos = defineSection({
  order: 56,
  fields: z.strictObject({
    heading: heading.optional(),
    images: listOf(z.strictObject({ src: imageSourceSchema, alt, href: linkSchema.optional() })),
    layout: z.enum(['boxes']).optional(),
  }),
  purpose: 'Logos of partners.',
  defaults: { images: [] },
  main: 'images',
  sketch: ['title', ['box', 'box', 'box', 'box']],
});
