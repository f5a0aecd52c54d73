import { z } from 'zod';
import { heading, listOf, note, timeOfDay } from '#server/core/sections/common-section-fields';
import { weekdays } from '#server/core/sections/opening-hours';
import { defineSection } from '#server/core/sections/section-definition';
import { line, prose } from '#server/core/text/safe-text';

export const openingHours = defineSection({
  order: 53,
  fields: z.strictObject({
    heading: heading.optional(),
    /** Without `opens` and `closes`: closed. Two rows with the same days: a break between them. */
    items: listOf(
      z.strictObject({
        firstDay: z.enum(weekdays),
        lastDay: z.enum(weekdays).optional(),
        opens: timeOfDay.optional(),
        closes: timeOfDay.optional(),
      }),
    ),
    address: prose(300).optional(),
    phone: line(40).optional(),
    note: note.optional(),
    layout: z.enum(['two-columns']).optional(),
  }),
  purpose: 'When a place is open (HH:MM; closed without), and where.',
  defaults: { items: [] },
  main: 'items',
  sketch: ['title', ['short', 'field'], ['short', 'field'], 'short'],
});
