import { z } from 'zod';

/** The `id:` of an event, as text. */
export const eventIdSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the id of an event')
  .transform(Number);

export const eventsQuery = z.object({
  lastEventId: eventIdSchema
    .optional()
    .describe('Goes on behind this event; the header `Last-Event-ID` says the same and counts more'),
});
