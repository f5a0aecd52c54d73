import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { costGroups, daySchema } from '#server/core/admin/spending';

/* Query of the reports about costs of models. */

/** A day that exists: `2027-02-30` has the right form but is refused. */
const day = daySchema.refine((text) => !Number.isNaN(Date.parse(text)), valueRules.dayOfCalendar);

const DAY_MS = 86_400_000;
/** Default number of days of a report. */
const DEFAULT_DAYS = 30;
/** Maximum number of days of a report: ten years. */
const MAX_DAYS = 3_660;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Query of the cost reports: a period, both days included, and how its costs are grouped. */
export const costsQuery = z
  .object({
    from: day.optional().describe('First day (UTC); default: 30 days'),
    to: day.optional().describe('Last day; default: today'),
    by: z.enum(costGroups).default('day'),
  })
  .transform(({ from, to = dayOf(Date.now()), by }) => ({
    from: from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS),
    to,
    by,
  }))
  .refine(({ from, to }) => from <= to && Date.parse(to) - Date.parse(from) <= MAX_DAYS * DAY_MS, {
    path: ['from'],
    message: valueRules.dayOrder,
  });
