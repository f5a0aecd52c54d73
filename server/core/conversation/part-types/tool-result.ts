import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { codedMessageSchema } from '#server/core/coded-message';
import {
  MAX_PART_ENTRIES,
  toolCallIdSchema,
  toolNameSchema,
} from '#server/core/conversation/part-types/common-part-fields';
import { definePart } from '#server/core/conversation/part-types/part-definition';
import { toolOutputSchema, toolOutputText } from '#server/core/conversation/part-types/tool-output';

/** The result of a tool call. */
export const toolResult = definePart({
  content: z
    .object({
      toolCallId: toolCallIdSchema,
      toolName: toolNameSchema,
      output: toolOutputSchema,
      truncated: z
        .boolean()
        .optional()
        .describe('True if the output was cut because it exceeds its limit (truncation)'),
      durationMs: z.number().optional().describe('Run time of the tool, milliseconds'),
      summary: codedMessageSchema.optional().describe('Summary of what the call changed, for people'),
      seen: boundedRecord(z.string(), z.number(), MAX_PART_ENTRIES)
        .optional()
        .describe(
          'Revisions of the entries and sections that the model read in this result, by id; absent: it read none',
        ),
    })
    .describe('The result of a tool call'),
  searchText: ({ output }) => toolOutputText(output),
  modelTexts: ({ output }) => [toolOutputText(output)],
});
