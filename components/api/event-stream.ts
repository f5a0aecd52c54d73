import type { InferUIMessageChunk } from 'ai';
import type { ChatMessage } from '#components/api/chat-message';

/** One message of Server-Sent Events; what it does not say is undefined. */
export interface EventFrame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/**
 * Reads Server-Sent Events. Comments come as empty frames (they show that the stream is alive), and so do messages that
 * only carry an id, which browsers' EventSource keeps to itself.
 * @throws what reading the body throws
 */
export async function* readEventFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<EventFrame, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield frameOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function frameOf(block: string): EventFrame {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const former = fields.get(name);
    fields.set(name, name === 'data' && former !== undefined ? `${former}\n${value}` : value);
  }
  return Object.fromEntries(fields);
}

/** One piece of an answer: the AI SDK's UI message chunk with our metadata and data parts. */
export type ChatChunk = InferUIMessageChunk<ChatMessage>;

/**
 * Reads the answer of POST /api/chat or GET /api/chat/{id}/stream as it comes, to its end; what fails in the turn is a
 * chunk of type `error`. Leaving the loop closes the connection; the turn goes on.
 * @throws what reading the body throws, SyntaxError where it is not such a stream
 */
export async function* readChatChunks({ body }: Response): AsyncGenerator<ChatChunk, void, undefined> {
  if (!body) return;
  for await (const { data } of readEventFrames(body)) {
    if (data !== undefined && data !== '[DONE]') yield JSON.parse(data) as ChatChunk;
  }
}
