import { type UIMessageChunk, createUIMessageStreamResponse } from 'ai';
import { HEARTBEAT_MS } from '#server/core/heartbeat';

/**
 * A turn's chunks as Server-Sent Events, in the AI SDK's UI message stream protocol, with comments while there are none.
 * @param keepAliveMs default 15 seconds
 */
export function chatStreamResponse(stream: ReadableStream<UIMessageChunk>, keepAliveMs = HEARTBEAT_MS): Response {
  return createUIMessageStreamResponse({ stream, keepAliveMs, headers: { 'cache-control': 'no-store' } });
}
