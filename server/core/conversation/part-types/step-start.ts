import { z } from 'zod';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** Marks where a step of a turn begins. */
export const stepStart = definePart({
  content: z.object({}).describe('Empty: the part only marks where a step of the turn begins'),
  isFromEngine: true,
});
