import { z } from 'zod';
import { costGroups, daySchema } from '#server/core/spending';

/** About one of the caller's conversations, or none. */
export const aboutSessionQuery = z.object({
  sessionId: z
    .string()
    .regex(/^ses_[0-9a-z]{26}$/, 'is not the id of a session')
    .optional()
    .describe('A conversation of the caller’s own'),
});

const day = daySchema.refine((text) => !Number.isNaN(Date.parse(text)), 'must be a day of the calendar');

const DAY_MS = 86_400_000;
/** Days of a report where nobody says how many. */
const USUAL_DAYS = 30;
const MOST_DAYS = 3_660;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export const costsQuery = z
  .object({
    from: day.optional().describe('First day (UTC); default: 30 days'),
    to: day.optional().describe('Last day; default: today'),
    by: z.enum(costGroups).default('day'),
  })
  .transform(({ from, to = dayOf(Date.now()), by }) => ({
    from: from ?? dayOf(Date.parse(to) - (USUAL_DAYS - 1) * DAY_MS),
    to,
    by,
  }))
  .refine(({ from, to }) => from <= to && Date.parse(to) - Date.parse(from) <= MOST_DAYS * DAY_MS, {
    path: ['from'],
    message: 'must not be after "to", and at most ten years before it',
  });
