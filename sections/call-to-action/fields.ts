import { z } from 'zod';
import { heading, intro, label } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { linkSchema } from '#server/core/text/safe-text';

export const callToAction = defineSection({
  order: 80,
  fields: z.strictObject({
    heading,
    body: intro.optional(),
    buttonLabel: label,
    buttonHref: linkSchema,
    layout: z.enum(['centered', 'plain']).optional(),
  }),
  purpose: 'Asks for one step.',
  defaults: (texts) => ({ ...texts.callToAction, buttonHref: '/contact' }),
  sketch: ['title', 'short', 'button'],
});
