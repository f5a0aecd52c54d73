import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import { providerMetadataSchema, toolOutputSchema } from '#server/core/conversation/parts';
import { components } from '#server/core/shapes';

/* Messages to a model. */

const providerOptionsSchema = providerMetadataSchema.optional();

const textSchema = z
  .object({ type: z.literal('text'), text: z.string(), providerOptions: providerOptionsSchema })
  .register(components, { id: 'ModelTextPart' });
const fileSchema = z
  .object({
    type: z.literal('file'),
    mediaType: z.string(),
    data: z
      .string()
      .describe(
        'A `data:` or `https:` URL; `@blob:<id>` until the request is built (server/conversation/step/attachments)',
      ),
    filename: z.string().optional(),
    detail: z.string().optional().describe('Detail at which the model receives an image: `low`, `high`'),
  })
  .register(components, { id: 'ModelFilePart' });
const reasoningSchema = z
  .object({
    type: z.literal('reasoning'),
    text: z.string(),
    providerOptions: providerOptionsSchema,
  })
  .register(components, { id: 'ModelReasoningPart' });
const toolCallSchema = z
  .object({
    type: z.literal('tool-call'),
    toolCallId: z.string().min(1),
    toolName: z.string().min(1),
    input: jsonValueSchema,
    providerOptions: providerOptionsSchema,
  })
  .register(components, { id: 'ModelToolCallPart' });
const toolResultSchema = z
  .object({
    type: z.literal('tool-result'),
    toolCallId: z.string().min(1),
    toolName: z.string().min(1),
    output: toolOutputSchema,
  })
  .register(components, { id: 'ModelToolResultPart' });

/**
 * A message to a model, in the AI SDK's `ModelMessage` shape (structurally assignable to it, so that only
 * server/conversation needs the SDK). Instructions are passed separately from the messages, never inside.
 */
export const modelMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.array(z.discriminatedUnion('type', [textSchema, fileSchema])) }),
  z.object({
    role: z.literal('assistant'),
    content: z.array(z.discriminatedUnion('type', [textSchema, reasoningSchema, fileSchema, toolCallSchema])),
  }),
  z.object({ role: z.literal('tool'), content: z.array(toolResultSchema) }),
]);
export type ModelMessage = z.infer<typeof modelMessageSchema>;
export type UserModelMessage = Extract<ModelMessage, { role: 'user' }>;
