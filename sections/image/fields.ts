import { z } from 'zod';
import { pictureSchema } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';

export const image = defineSection({
  order: 30,
  fields: pictureSchema.extend({ layout: z.enum(['narrow', 'full-width']).optional() }),
  purpose: 'One picture.',
  defaults: { src: '/images/placeholder.svg', alt: '' },
  spoken: { labels: { image: 'src', 'alt text': 'alt' }, main: 'src' },
  sketch: ['picture', 'short'],
});
