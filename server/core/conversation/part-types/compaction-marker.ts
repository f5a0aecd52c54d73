import { z } from 'zod';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** The summary of a compaction. */
export const compactionMarker = definePart({
  content: z
    .object({
      summary: z.string().describe('The complete summary that the model reads in place of the compacted messages'),
      narrative: z
        .string()
        .optional()
        .describe("The model's narrative, without the facts that code keeps; empty: none. Absent in older rows"),
      compactedAt: z.number().describe('Epoch milliseconds'),
      messagesCompacted: z.number().describe('Number of messages that the summary replaces'),
      originalTokens: z.number().describe('Tokens of the view before this compaction'),
      round: z.number().describe("1 for the session's first compaction"),
    })
    .describe('The summary of a compaction'),
  modelTexts: ({ summary }) => [summary],
  isFromEngine: true,
});
