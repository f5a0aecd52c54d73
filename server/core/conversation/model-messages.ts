import { z } from 'zod';
import { describedJson } from '#server/core/json';
import {
  providerMetadataSchema,
  toolCallIdSchema,
  toolNameSchema,
} from '#server/core/conversation/part-types/common-part-fields';
import { toolOutputSchema } from '#server/core/conversation/part-types/tool-output';
import { components } from '#server/core/shapes';

/* Messages to a model. */

const providerOptionsSchema = providerMetadataSchema.optional();

const textSchema = z
  .object({
    type: z.literal('text').describe('A text'),
    text: z.string().describe('What the user or the model wrote'),
    providerOptions: providerOptionsSchema,
  })
  .register(components, { id: 'ModelTextPart' });
const fileSchema = z
  .object({
    type: z.literal('file').describe('A file, such as an image'),
    mediaType: z.string().describe('Media type such as `image/png`'),
    data: z
      .string()
      .describe(
        'A `data:` or `https:` URL; `@blob:<id>` until the request is built (server/conversation/step/attachments)',
      ),
    filename: z.string().optional().describe('Name of the file; absent: it came without one'),
    detail: z.string().optional().describe('Detail at which the model receives an image: `low`, `high`'),
  })
  .register(components, { id: 'ModelFilePart' });
const reasoningSchema = z
  .object({
    type: z.literal('reasoning').describe('Reasoning of the model before its answer'),
    text: z.string().describe('The reasoning; empty where the provider sends only a signature'),
    providerOptions: providerOptionsSchema,
  })
  .register(components, { id: 'ModelReasoningPart' });
const toolCallSchema = z
  .object({
    type: z.literal('tool-call').describe('A tool call of the model'),
    toolCallId: toolCallIdSchema.min(1),
    toolName: toolNameSchema.min(1),
    input: describedJson('Arguments of the call'),
    providerOptions: providerOptionsSchema,
  })
  .register(components, { id: 'ModelToolCallPart' });
const toolResultSchema = z
  .object({
    type: z.literal('tool-result').describe('The result of a tool call'),
    toolCallId: toolCallIdSchema.min(1),
    toolName: toolNameSchema.min(1),
    output: toolOutputSchema,
  })
  .register(components, { id: 'ModelToolResultPart' });

/**
 * A message to a model, in the AI SDK's `ModelMessage` shape (structurally assignable to it, so that only
 * server/conversation needs the SDK). Instructions are passed separately from the messages, never inside.
 */
export const modelMessageSchema = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user').describe('A message of the user'),
    content: z.array(z.discriminatedUnion('type', [textSchema, fileSchema])).describe('Texts and files in order'),
  }),
  z.object({
    role: z.literal('assistant').describe('A message of the model'),
    content: z
      .array(z.discriminatedUnion('type', [textSchema, reasoningSchema, fileSchema, toolCallSchema]))
      .describe('Texts, reasoning, files and tool calls in order'),
  }),
  z.object({
    role: z.literal('tool').describe('Results of the tool calls of the message before'),
    content: z.array(toolResultSchema).describe('One for each call'),
  }),
]);
export type ModelMessage = z.infer<typeof modelMessageSchema>;
export type UserModelMessage = Extract<ModelMessage, { role: 'user' }>;
