import { z } from 'zod';
import { alt, heading, label } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { imageSourceSchema, linkSchema, prose } from '#server/core/text/safe-text';

export const hero = defineSection({
  order: 10,
  fields: z.strictObject({
    heading,
    subheading: prose(500).optional(),
    image: imageSourceSchema.optional(),
    imageAlt: alt.optional(),
    ctaLabel: label.optional(),
    ctaHref: linkSchema.optional(),
    layout: z.enum(['centered', 'picture-first', 'cover', 'band']).optional(),
  }),
  purpose: 'Opening of a page, or a picture beside text.',
  defaults: ({ hero: texts }) => texts,
  spoken: { labels: { heading: 'heading', subheading: 'subheading' }, main: 'heading' },
  sketch: [['title', 'picture'], 'short', 'button'],
});
