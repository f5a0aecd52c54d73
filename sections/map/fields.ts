import { z } from 'zod';
import { alt, heading } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { imageSourceSchema, linkSchema, requiredProse } from '#server/core/text/safe-text';

export const map = defineSection({
  order: 57,
  fields: z.strictObject({
    heading: heading.optional(),
    address: requiredProse(300),
    image: imageSourceSchema.optional(),
    imageAlt: alt.optional(),
    href: linkSchema.optional(),
    layout: z.enum(['two-columns']).optional(),
  }),
  purpose: 'Address, picture of a map, link to a map service (default: a search for the address).',
  defaults: ({ map: texts }) => texts,
  main: 'address',
  sketch: ['picture', 'short', 'button'],
});
