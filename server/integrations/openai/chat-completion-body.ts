import { z } from 'zod';
import { openAIMessageSchema } from '#server/conversation/import/openai-messages';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/core/shapes';
import { requireOfferedTool } from '#server/integrations/openai/named-tool';

/** Maximum number of messages in one request. */
const MAX_MESSAGES = 20_000;
/** Maximum number of tools in one request. */
const MAX_TOOLS = 512;

/** Value of the output limit with which clients of other servers say "no limit". */
const UNLIMITED = -1;

/** A JSON schema, or other arbitrary fields. */
const jsonFields = boundedRecord(z.string(), jsonValueSchema, 1_000);

const functionSchema = z
  .object({
    name: z.string().regex(/^[\w.:-]{1,200}$/, 'must have 1 to 200 letters, digits, _, -, . or :'),
    description: z.string().nullish(),
    parameters: jsonFields.nullish(),
    strict: z.boolean().nullish(),
  })
  .register(components, { id: 'OpenAiFunction' });

const toolSchema = z
  .object({
    type: z.literal('function', { error: 'only tools of the type "function" are taken' }),
    function: functionSchema,
  })
  .register(components, { id: 'OpenAiTool' });

const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z
    .object({ type: z.literal('function'), function: z.object({ name: z.string() }) })
    .register(components, { id: 'OpenAiNamedTool' }),
  z
    .object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: z.enum(['auto', 'required']),
        tools: z.array(z.object({ function: z.object({ name: z.string() }).optional() })).max(MAX_TOOLS),
      }),
    })
    .register(components, { id: 'OpenAiAllowedTools' }),
]);

const responseFormatSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ name: z.string(), schema: jsonFields.optional() }),
    }),
  ])
  .register(components, { id: 'OpenAiResponseFormat' });

const limit = z
  .int()
  .refine((tokens) => tokens > 0 || tokens === UNLIMITED, 'must be at least 1')
  .nullish();

/** An unsupported field. It is refused, because a client would believe that the response respects it. */
const absent = (message: string) =>
  z
    .unknown()
    .refine((value) => [undefined, null, false, 0].includes(value as null), message)
    .optional()
    .describe('Not supported: null, false or 0');

/**
 * The body of POST /v1/chat/completions in OpenAI's format. Unknown fields are ignored, as on other servers of this
 * format.
 */
export const chatCompletionBody = z
  .object({
    model: z.string().min(1),
    messages: z.array(openAIMessageSchema).min(1, 'must hold at least one message').max(MAX_MESSAGES),
    tools: z.array(toolSchema).max(MAX_TOOLS).nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_tokens: limit,
    max_completion_tokens: limit,
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4, 'must hold at most 4 sequences')]).nullish(),
    seed: z.int().nullish(),
    response_format: responseFormatSchema.nullish(),
    reasoning_effort: z.string().max(50).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    verbosity: z.string().max(50).nullish(),
    logit_bias: boundedRecord(z.string(), z.number(), 1_000).nullish(),
    top_k: z.number().nullish(),
    min_p: z.number().nullish(),
    repeat_penalty: z.number().nullish(),
    repetition_penalty: z.number().nullish(),
    chat_template_kwargs: jsonFields.nullish(),
    n: z.literal(1, { error: 'must be 1: one answer is given per request' }).nullish(),
    user: z.string().max(1_000).nullish(),
    metadata: jsonFields.nullish(),
    modalities: z
      .array(z.literal('text', { error: 'only text is answered' }))
      .max(1)
      .nullish(),
    logprobs: absent('is not supported: leave it out'),
    top_logprobs: absent('is not supported: leave it out'),
    functions: absent('is an older form: send "tools"'),
    function_call: absent('is an older form: send "tool_choice"'),
  })
  .superRefine(({ tools, tool_choice: choice }, context) => {
    if (typeof choice !== 'object' || choice?.type !== 'function') return;
    const offered = (tools ?? []).map((tool) => tool.function.name);
    requireOfferedTool(context, ['tool_choice'], choice.function.name, offered);
  })
  .register(components, { id: 'OpenAiCompletionBody' });

/** The body after validation. */
export type ChatCompletionBody = z.infer<typeof chatCompletionBody>;

/** The client's output limit, tokens; undefined if not set. */
export function outputLimit({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatCompletionBody): number | undefined {
  const asked = newer ?? older ?? UNLIMITED;
  return asked === UNLIMITED ? undefined : asked;
}
