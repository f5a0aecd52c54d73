import { z } from 'zod';
import { components, count, json } from '#server/core/shapes';
import { content } from '#server/http/schemas/route-answer';

/* Responses of /v1/messages, in the format of Anthropic's API. */

const blockSchema = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('text'), text: z.string(), citations: z.null().describe('Always null') })
    .register(components, { id: 'AnthropicAnswerText' }),
  z
    .strictObject({
      type: z.literal('thinking'),
      thinking: z.string(),
      signature: z.string().describe('Always empty: a `redacted_thinking` block has what the provider signed'),
    })
    .register(components, { id: 'AnthropicAnswerThinking' }),
  z
    .strictObject({ type: z.literal('redacted_thinking'), data: z.string() })
    .register(components, { id: 'AnthropicAnswerRedactedThinking' }),
  z
    .strictObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: json })
    .register(components, { id: 'AnthropicAnswerToolUse' }),
]);

/** POST /v1/messages without `stream`. */
export const anthropicMessageSchema = z
  .strictObject({
    id: z.string().min(1),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string().min(1),
    content: z.array(blockSchema),
    stop_reason: z.enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']),
    stop_sequence: z.string().nullable().describe('Always null'),
    usage: z.strictObject({
      input_tokens: count.describe('Without those read from a cache'),
      cache_creation_input_tokens: count.describe('Always 0'),
      cache_read_input_tokens: count,
      output_tokens: count,
    }),
  })
  .register(components, { id: 'AnthropicAnswer' });

/** POST /v1/messages/count_tokens. */
export const tokenCountSchema = z
  .strictObject({ input_tokens: count.describe('Estimated tokens of the conversation as it was sent') })
  .register(components, { id: 'AnthropicTokenCount' });

/** POST /v1/messages with `stream: true`. */
export const messageEvents = content(
  'text/event-stream',
  'With `stream: true`: the events `message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta` and `message_stop`; `ping` while a compaction runs.',
);
