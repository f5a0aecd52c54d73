import { type UIMessageChunk, createUIMessageStreamResponse } from 'ai';

/** A turn's chunks as Server-Sent Events, in the AI SDK's UI message stream protocol. */
export function chatStreamResponse(stream: ReadableStream<UIMessageChunk>): Response {
  return createUIMessageStreamResponse({ stream, headers: { 'cache-control': 'no-store' } });
}
