import { z } from 'zod';
import { heading, listOf, pictureSchema } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';

export const gallery = defineSection({
  order: 40,
  fields: z.strictObject({
    heading: heading.optional(),
    images: listOf(pictureSchema),
    layout: z.enum(['two-columns', 'row']).optional(),
  }),
  purpose: 'Pictures side by side.',
  defaults: { images: [] },
  main: 'images',
  sketch: ['title', ['picture', 'picture', 'picture']],
});
