import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { heading, MAX_LIST_ITEMS } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { requiredLine } from '#server/core/text/safe-text';

export const postsList = defineSection({
  order: 100,
  fields: z.strictObject({
    heading: heading.optional(),
    count: z
      .number()
      .int(valueRules.whole)
      .min(1, 'must be at least 1')
      .max(MAX_LIST_ITEMS, `must be at most ${MAX_LIST_ITEMS}`),
    tag: requiredLine(40).optional(),
    layout: z.enum(['list', 'titles']).optional(),
  }),
  purpose: 'The newest posts.',
  defaults: { count: 3 },
  sketch: ['title', ['box', 'short'], ['box', 'short']],
});
