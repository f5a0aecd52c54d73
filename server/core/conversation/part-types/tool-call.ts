import { z } from 'zod';
import {
  providerMetadata,
  toolCallIdSchema,
  toolNameSchema,
} from '#server/core/conversation/part-types/common-part-fields';
import { definePart } from '#server/core/conversation/part-types/part-definition';
import { describedJson } from '#server/core/json';

/** A tool call of a model. */
export const toolCall = definePart({
  content: z
    .object({
      toolCallId: toolCallIdSchema,
      toolName: toolNameSchema,
      input: describedJson(
        'Arguments of the call as the model wrote them; while the part is `input-streaming`, the JSON text so far',
      ),
      providerMetadata,
    })
    .describe('A tool call of the model'),
  searchText: ({ input }) => JSON.stringify(input),
  modelTexts: ({ toolName, input }) => [toolName, JSON.stringify(input)],
});
