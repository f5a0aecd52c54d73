import { z } from 'zod';
import { heading, intro } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { line, prose } from '#server/core/text/safe-text';

/** Most characters of the rows of a table. */
const MAX_ROWS_LENGTH = 10_000;

export const table = defineSection({
  order: 58,
  fields: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    rows: prose(MAX_ROWS_LENGTH),
    caption: line(300).optional(),
    layout: z.enum(['row-headings']).optional(),
  }),
  purpose: 'Table. rows: one a line, cells separated by |, first the header.',
  defaults: { rows: '' },
  main: 'rows',
  sketch: ['title', ['field', 'field', 'field'], ['field', 'field', 'field'], ['field', 'field', 'field']],
});
