import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/core/shapes';
import { requireOfferedTool } from '#server/integrations/openai/named-tool';

/*
 * Bodies of POST /v1/messages and /v1/messages/count_tokens, in the format of Anthropic's Messages API. Unknown fields
 * are ignored, as on other servers of this format.
 */

/* Bounds of one request. Choices, not measured: far above what models and clients write. */

const MAX_MESSAGES = 20_000;
const MAX_TOOLS = 512;
const MAX_BLOCKS = 10_000;
/** Fields of a JSON schema, or of the input of a call. */
const MAX_FIELDS = 1_000;
/** Characters of the id or the name of a call. */
const MAX_NAME = 500;

const jsonFields = boundedRecord(z.string(), jsonValueSchema, MAX_FIELDS);
const id = z.string().min(1).max(MAX_NAME);

const textBlock = z
  .object({ type: z.literal('text'), text: z.string() })
  .register(components, { id: 'AnthropicTextBlock' });

const base64Source = z.object({ type: z.literal('base64'), media_type: z.string().max(100), data: z.base64() });
const urlSource = z.object({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) });

const imageBlock = z
  .object({ type: z.literal('image'), source: z.discriminatedUnion('type', [base64Source, urlSource]) })
  .register(components, { id: 'AnthropicImageBlock' });

const documentBlock = z
  .object({
    type: z.literal('document'),
    source: z.discriminatedUnion('type', [
      base64Source,
      urlSource,
      z.object({ type: z.literal('text'), data: z.string() }),
    ]),
    title: z.string().max(MAX_NAME).nullish(),
  })
  .register(components, { id: 'AnthropicDocumentBlock' });

const toolResultBlock = z
  .object({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: z
      .union([
        z.string(),
        z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock])).max(MAX_BLOCKS),
      ])
      .nullish(),
    is_error: z.boolean().nullish(),
  })
  .register(components, { id: 'AnthropicToolResultBlock' });

const toolUseBlock = z
  .object({ type: z.literal('tool_use'), id, name: id, input: jsonFields })
  .register(components, { id: 'AnthropicToolUseBlock' });

const thinkingBlock = z
  .object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() })
  .register(components, { id: 'AnthropicThinkingBlock' });

const hiddenThinkingBlock = z
  .object({ type: z.literal('redacted_thinking'), data: z.string() })
  .register(components, { id: 'AnthropicRedactedThinkingBlock' });

const messageSchema = z
  .discriminatedUnion('role', [
    // Claude Code adds instructions in the middle of a conversation.
    z.object({ role: z.literal('system'), content: z.union([z.string(), z.array(textBlock).max(MAX_BLOCKS)]) }),
    z.object({
      role: z.literal('user'),
      content: z.union([
        z.string(),
        z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, toolResultBlock])).max(MAX_BLOCKS),
      ]),
    }),
    z.object({
      role: z.literal('assistant'),
      content: z.union([
        z.string(),
        z
          .array(z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, hiddenThinkingBlock]))
          .max(MAX_BLOCKS),
      ]),
    }),
  ])
  .register(components, { id: 'AnthropicMessage' });
export type AnthropicMessage = z.infer<typeof messageSchema>;

/**
 * A tool of the client. Tools with another `type` are those that Anthropic runs itself (`web_search_20250305`), which
 * nobody runs here: they are left out of the request.
 */
const toolSchema = z
  .object({
    type: z.string().max(100).nullish().describe('`custom` or absent; tools of other types are ignored'),
    name: z.string().regex(/^[\w.:-]{1,200}$/, 'must have 1 to 200 letters, digits, _, -, . or :'),
    description: z.string().nullish(),
    input_schema: jsonFields.optional(),
    strict: z.boolean().nullish().describe('Whether the input has to match the schema exactly'),
  })
  .register(components, { id: 'AnthropicTool' });

const toolChoiceSchema = z
  .object({
    type: z.enum(['auto', 'any', 'tool', 'none']),
    name: z.string().max(MAX_NAME).optional().describe('With `tool`: its name'),
    disable_parallel_tool_use: z.boolean().nullish(),
  })
  .register(components, { id: 'AnthropicToolChoice' });

const conversation = {
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1, 'must hold at least one message').max(MAX_MESSAGES),
  system: z.union([z.string(), z.array(textBlock).max(MAX_BLOCKS)]).nullish(),
  tools: z.array(toolSchema).max(MAX_TOOLS).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
};

/** The body of POST /v1/messages. */
export const messagesBody = z
  .object({
    ...conversation,
    max_tokens: z.int().min(1).describe('Maximum tokens of the answer'),
    stream: z.boolean().nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.int().min(0).nullish(),
    stop_sequences: z.array(z.string()).max(100).nullish(),
    thinking: z
      .object({ type: z.enum(['enabled', 'adaptive', 'disabled']), budget_tokens: z.int().min(0).nullish() })
      .nullish(),
    output_config: z
      .object({
        effort: z.string().max(50).nullish(),
        format: z.object({ type: z.literal('json_schema'), schema: jsonFields }).nullish(),
      })
      .nullish(),
  })
  .superRefine(({ tools, tool_choice: choice }, context) => {
    if (choice?.type !== 'tool') return;
    const own = (tools ?? []).filter(({ type }) => !type || type === 'custom');
    requireOfferedTool(
      context,
      ['tool_choice', 'name'],
      choice.name,
      own.map(({ name }) => name),
    );
  })
  .register(components, { id: 'AnthropicMessagesBody' });
export type MessagesBody = z.infer<typeof messagesBody>;

/** The body of POST /v1/messages/count_tokens. */
export const countTokensBody = z.object(conversation).register(components, { id: 'AnthropicCountTokensBody' });
export type CountTokensBody = z.infer<typeof countTokensBody>;
