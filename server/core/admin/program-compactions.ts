import { z } from 'zod';
import { components, count, idOf, listOf, type Shape, time } from '#server/core/shapes';

/** A compaction of a conversation that another program stores and sends to `/v1`. */
const programCompactionSchema = z
  .strictObject({
    id: idOf('prc'),
    modelId: z.string().min(1).describe('The model of the conversation'),
    strategy: z.string().min(1).describe('Name of the strategy that made the summary'),
    tokensBefore: count.describe('Tokens of the request before'),
    tokensAfter: count.describe('Tokens of the request afterwards'),
    messagesCompacted: count.describe('Number of messages that the summary replaces'),
    durationMs: count.describe('Run time in milliseconds'),
    createdAt: time,
  })
  .describe('A compaction of a conversation that another program stores and sends to `/v1`')
  .register(components, { id: 'ProgramCompaction' });
export type ProgramCompaction = Shape<typeof programCompactionSchema>;

/** The newest compactions of conversations of programs, newest first. */
export const programCompactionsSchema = listOf(programCompactionSchema).register(components, {
  id: 'ProgramCompactionList',
});
