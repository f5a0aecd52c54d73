import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { components, json, type Shape } from '#server/core/shapes';

/** Maximum number of values of one sentence. A choice, far above what a sentence has. */
const MAX_PARAMS = 50;

/**
 * A sentence as data, which each screen writes in its language. Rows of other versions may have codes that this version
 * does not know; their English text is stored with them.
 */
export const codedMessageSchema = z
  .object({
    code: z.string().min(1).describe('Permanent: never renamed, never used for another sentence'),
    params: boundedRecord(z.string(), json, MAX_PARAMS).describe(
      'Values in the sentence; one with `code`, `params` and `text` is a sentence itself',
    ),
  })
  .register(components, { id: 'CodedMessage' });
export type CodedMessage = Shape<typeof codedMessageSchema>;

/** Notes about a write that the site did not carry out exactly as requested. */
export const noteFields = {
  notes: z.array(z.string().min(1)).optional().describe('What the site made of it otherwise than asked, in sentences'),
  noteMessages: z.array(codedMessageSchema).optional().describe('`notes` as data, in the same order'),
};

/** A sentence of the server with its English text, for models, logs and readers that do not know its code. */
export interface ServerText extends CodedMessage {
  readonly text: string;
}

/** A value in a sentence. A time is in epoch milliseconds. */
export type MessageParam = string | number | boolean | null | ServerText | readonly (string | ServerText)[];
