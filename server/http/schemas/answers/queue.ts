import { z } from 'zod';
import { holdReasons } from '#server/core/turns';
import { count, idOf, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

export const queuedSchema = z.strictObject({
  queued: z.literal(true),
  position: z.number().int().min(1),
  id: idOf('que'),
});

/** A place in the queue, or (position 0) the message of the turn that has started. */
export const enqueuedSchema = z.union([
  queuedSchema,
  z.strictObject({ queued: z.literal(false), position: z.literal(0), id: idOf('msg') }),
]);

export const queuedItemSchema = z
  .strictObject({
    id: idOf('que'),
    text: z.string().describe('Empty where only files were sent'),
    files: z.array(z.string().min(1)),
    createdAt: time,
    modelId: z.string().nullable(),
    heldReason: z
      .enum(holdReasons)
      .nullable()
      .describe('Why it is sent only when somebody says so: the API key that it came with holds no more'),
  })
  .register(components, { id: 'QueuedMessage' });

export const queueSchema = z.strictObject({
  items: z.array(queuedItemSchema),
  held: z.boolean().describe('After a cancel: nothing is sent by itself'),
});
export const clearedSchema = z.strictObject({ removed: count });
export const startedSchema = z.strictObject({ started: z.boolean() });
