import { randomUUID } from 'node:crypto';
import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import { encodeCompaction, textOfUser } from '#server/integrations/openai/responses/compaction-item';
import type { CompactedConversation } from '#server/integrations/openai/completions';
import type { OutputItem } from '#server/integrations/openai/responses/responses-response';

/** A compacted conversation, as POST /v1/responses/compact answers it. */
export interface WireCompaction {
  readonly id: string;
  readonly object: 'response.compaction';
  /** Epoch seconds. */
  readonly created_at: number;
  readonly output: readonly OutputItem[];
  /** Estimated: what was compacted, and the summary. */
  readonly usage: object;
}

type ChatMessage = ChatCompletionBody['messages'][number];

/**
 * The answer of POST /v1/responses/compact.
 * @param messages of the conversation that was compacted, without the instructions of the request
 */
export function toWireCompaction(
  messages: readonly ChatMessage[],
  { summary, summaryTokens, kept, tokensBefore }: CompactedConversation,
): WireCompaction {
  const hash = randomUUID().replaceAll('-', '');
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
  const said = messages.filter((message) => !isSystem(message));
  const replaced = said.filter((_, index) => !kept[index]);
  const words = replaced.flatMap((message) => textOfUser(message) ?? []);
  const rest = [...messages.filter(isSystem), ...said.filter((_, index) => kept[index])];
  const inputTokens = summary === null ? 0 : tokensBefore;
  return {
    id: `resp_${hash}`,
    object: 'response.compaction',
    created_at: Math.floor(Date.now() / 1_000),
    output: [
      ...words.map((text, index) => ({
        id: `msg_${hash}_${index}`,
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text }],
      })),
      {
        id: `cmp_${hash}`,
        type: 'compaction',
        encrypted_content: encodeCompaction({ summary, replaced: words, messages: rest }),
      },
    ],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: summaryTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + summaryTokens,
    },
  };
}
