import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { heading } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { videoAt } from '#server/core/sections/video-player';
import { imageSourceSchema, line, requiredLine, textKinds } from '#server/core/text/safe-text';

export const video = defineSection({
  order: 35,
  fields: z.strictObject({
    heading: heading.optional(),
    /** Empty: no video yet. */
    href: line(2_000)
      .refine((address) => address === '' || videoAt(address) !== null, valueRules.video)
      .register(textKinds, { kind: 'link' }),
    title: requiredLine(200),
    /** The button on it is named by the title. */
    image: imageSourceSchema.clone().register(textKinds, { kind: 'image', isDecorative: true }).optional(),
    caption: line(300).optional(),
    layout: z.enum(['narrow']).optional(),
  }),
  purpose: 'A YouTube or Vimeo video; image is its poster.',
  defaults: ({ video: texts }) => ({ href: '', ...texts }),
  main: 'href',
  sketch: ['title', 'picture'],
});
