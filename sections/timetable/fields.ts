import { z } from 'zod';
import { heading, intro, listOf, note } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { line, requiredLine } from '#server/core/text/safe-text';

/** Most lines of a timetable: some fourteen for each day of a week. */
const MAX_TIMES = 100;

export const timetable = defineSection({
  order: 52,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(
      z.strictObject({
        title: heading,
        day: requiredLine(60),
        time: requiredLine(60),
        body: line(200).optional(),
      }),
      MAX_TIMES,
    ),
    note: note.optional(),
    layout: z.enum(['list']).optional(),
  }),
  purpose: 'Classes or events by day, in order.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['short', 'short', 'short'], ['box', 'box', 'box'], ['field', 'field', 'field']],
});
