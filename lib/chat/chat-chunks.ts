import type { InferUIMessageChunk } from 'ai';
import type { ChatMessage } from '#lib/chat/chat-message';
import { readEventFrames } from '#lib/api/event-frames';

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
