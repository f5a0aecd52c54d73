import { z } from 'zod';

/** The `id:` of an event, as text. */
export const eventIdSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the id of an event')
  .transform(Number);

/** For clients that cannot send the header Last-Event-ID, which counts more. */
export const eventsQuery = z.object({ lastEventId: eventIdSchema.optional() });
