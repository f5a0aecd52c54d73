import type { InferUIMessageChunk } from 'ai';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { readEventFrames } from '#components/api/event-stream.ts';

/** One chunk of an answer: the AI SDK's UI message chunk with our metadata and data parts. */
export type ChatChunk = InferUIMessageChunk<ChatMessage>;

/**
 * Reads the response of POST /api/chat or GET /api/chat/{id}/stream as it arrives, to its end; an error of the turn is
 * a chunk of type `error`. Leaving the loop closes the connection; the turn continues.
 * @throws errors from reading the body; SyntaxError if it is not such a stream
 */
export async function* readChatChunks({ body }: Response): AsyncGenerator<ChatChunk, void, undefined> {
  if (!body) return;
  for await (const { data } of readEventFrames(body)) {
    if (data !== undefined && data !== '[DONE]') yield JSON.parse(data) as ChatChunk;
  }
}
