import { z } from 'zod';
import { components, count, json } from '#server/core/shapes';
import { content } from '#server/http/schemas/route-answer';

/* Responses of /v1, in the format of OpenAI's API. */

/** Maximum size of a body: a client sends its whole conversation each time, including images. */
export const COMPLETION_BODY_BYTES = 32_000_000;
/** Maximum number of JSON values in a body. A message has 3, a tool call 6: the limit fits 20,000 messages, half of them with calls. */
export const COMPLETION_BODY_VALUES = 200_000;

const seconds = z.number().int().min(0).describe('Epoch seconds');
const head = {
  id: z.string().min(1),
  created: seconds,
  model: z.string().min(1),
  system_fingerprint: z.string().nullable().describe('Always null'),
};
const finishReason = z.string().min(1).describe('`stop`, `length`, `tool_calls` or `content_filter`');

const usageSchema = z
  .strictObject({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.strictObject({ cached_tokens: count }),
    completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
    cost: z.number().min(0).optional().describe('US dollars, where the provider says it'),
  })
  .register(components, { id: 'OpenAiUsage' });

const callSchema = z
  .strictObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.strictObject({ name: z.string(), arguments: z.string().describe('JSON, as the model wrote it') }),
  })
  .register(components, { id: 'OpenAiAnswerToolCall' });

/** POST /v1/chat/completions without `stream`. */
export const completionSchema = z
  .strictObject({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.strictObject({
        index: z.literal(0),
        message: z.strictObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable().describe('Always null'),
          reasoning_content: z.string().optional(),
          reasoning: z.string().optional().describe('The same, under the name that OpenRouter uses'),
          reasoning_details: z.array(json).optional(),
          tool_calls: z.array(callSchema).optional(),
        }),
        logprobs: z.looseObject({}).nullable().describe('Always null'),
        finish_reason: finishReason,
      }),
    ),
    usage: usageSchema.nullable(),
  })
  .register(components, { id: 'OpenAiCompletion' });

/** One model in the format that clients of OpenAI read; additional fields contain its limits. */
export const wireModelSchema = z
  .looseObject({ id: z.string().min(1), object: z.literal('model'), created: seconds, owned_by: z.string() })
  .register(components, { id: 'OpenAiModel' });

/** The list of models. */
export const wireModelsSchema = z
  .strictObject({ object: z.literal('list'), data: z.array(wireModelSchema) })
  .register(components, { id: 'OpenAiModelList' });

/** POST /v1/chat/completions with `stream: true`. */
export const completionChunks = content(
  'text/event-stream',
  'With `stream: true`: chunks of the type `chat.completion.chunk`, in the end `data: [DONE]`; `: compacting` keeps the line open meanwhile.',
);

/** The id of a stored response. */
export const responseIdParams = z.strictObject({ id: z.string().min(1).max(200) });

/** POST /v1/responses without `stream`, and GET of a stored response. */
export const responseSchema = z
  .looseObject({
    id: z.string().min(1),
    object: z.literal('response'),
    created_at: seconds,
    status: z.enum(['completed', 'incomplete', 'in_progress', 'failed']),
    model: z.string().min(1),
    output: z.array(
      z.looseObject({
        id: z.string().min(1),
        type: z.string().describe('`message`, `reasoning` or `function_call`'),
      }),
    ),
    previous_response_id: z.string().nullable().describe('The response that the request continued'),
    store: z.boolean().describe('Whether later requests can refer to this response'),
  })
  .register(components, { id: 'OpenResponse' });

/** POST /v1/responses/compact. */
export const compactedSchema = z
  .strictObject({
    id: z.string().min(1).describe('Names nothing that is stored'),
    object: z.literal('response.compaction').describe('Always `response.compaction`'),
    created_at: seconds,
    output: z
      .array(
        z.looseObject({
          id: z.string().min(1).describe('Id of the item; it cannot be referred to'),
          type: z.string().describe('`message` or, at the end, `compaction`'),
        }),
      )
      .describe('To be sent as they are, in place of the items that were compacted'),
    usage: z
      .strictObject({
        input_tokens: count.describe('Of the conversation that was compacted, estimated'),
        input_tokens_details: z
          .strictObject({ cached_tokens: count.describe('Always 0') })
          .describe('As in the usage of an answer'),
        output_tokens: count.describe('Of the summary, estimated'),
        output_tokens_details: z
          .strictObject({ reasoning_tokens: count.describe('Always 0') })
          .describe('As in the usage of an answer'),
        total_tokens: count.describe('The sum of both'),
      })
      .describe('All 0 for a conversation that is too short to be compacted'),
  })
  .register(components, { id: 'OpenResponsesCompacted' });

/** DELETE of a stored response. */
export const deletedResponseSchema = z
  .strictObject({
    id: z.string().describe('The answer that is stored no more'),
    object: z.literal('response').describe('Always `response`'),
    deleted: z.literal(true).describe('Always true'),
  })
  .register(components, { id: 'OpenResponseDeleted' });

/** POST /v1/responses with `stream: true`. */
export const responseEvents = content(
  'text/event-stream',
  'With `stream: true`: the events of Open Responses, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`; `: compacting` keeps the line open meanwhile.',
);
