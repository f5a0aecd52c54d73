import { z } from 'zod';
import { heading } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { prose, textKinds } from '#server/core/text/safe-text';

/** Maximum number of characters of a text body (markdown). */
const MAX_BODY_LENGTH = 50_000;

export const text = defineSection({
  order: 20,
  fields: z.strictObject({
    heading: heading.optional(),
    body: prose(MAX_BODY_LENGTH).register(textKinds, { kind: 'markdown' }),
    layout: z.enum(['two-columns', 'heading-beside']).optional(),
  }),
  purpose: 'Running text; a picture in it: ![alt](src "caption"), alone in its paragraph.',
  defaults: { body: '' },
  main: 'body',
  spoken: { labels: { heading: 'heading', text: 'body' }, main: 'body' },
  sketch: ['title', 'line', 'line', 'short'],
});
