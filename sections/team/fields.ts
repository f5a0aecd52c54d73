import { z } from 'zod';
import { alt, heading, intro, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { imageSourceSchema, line, prose } from '#server/core/text/safe-text';

export const team = defineSection({
  order: 54,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(
      z.strictObject({
        title: heading,
        role: line(160).optional(),
        body: prose(1_000).optional(),
        src: imageSourceSchema.optional(),
        alt: alt.optional(),
      }),
    ),
    layout: z.enum(['list']).optional(),
  }),
  purpose: 'People: title is the name.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['picture', 'picture', 'picture'], ['short', 'short', 'short']],
});
