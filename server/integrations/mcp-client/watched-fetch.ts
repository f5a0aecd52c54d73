import { serverText } from '#server/core/messages/server-text';
import { InvalidInputError } from '#server/core/errors';
import { limitBytes, createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

/**
 * Called when a connection ends. `refused`: the server cannot be reached (with the error of `fetch`). `broken`: a response
 * was cut off. `ended`: a stream ended without an error.
 */
export type OnBroken = (method: string, how: 'refused' | 'broken' | 'ended', error?: unknown) => void;

/** Maximum bytes of a response, or of one event of a stream: tools may return pictures. */
const MAX_MESSAGE = 32_000_000;

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });

/** Creates the `fetch` for one tool server: it limits the size of messages and reports lost connections. */
export function watchedFetch(onBroken: OnBroken): typeof fetch {
  return async (input, init = {}) => {
    // It asks for notices, as GET does in older revisions.
    const method = isListening(init.body) ? 'GET' : (init.method ?? 'GET');
    const response = await fetchConfigured(input, init).catch((error: unknown) => {
      if (!init.signal?.aborted && !(error instanceof InvalidInputError)) onBroken(method, 'refused', error);
      throw error;
    });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.includes('text/event-stream');
    const watched = isStream ? watchStream(response.body) : response.body.pipeThrough(limitBytes(MAX_MESSAGE));
    return new Response(watched, { status, statusText, headers });

    function watchStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = body.getReader();
      const countBytes = createEventSizeLimit();
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!done) countBytes(value);
            if (done) {
              controller.close();
              if (!init.signal?.aborted) onBroken(method, 'ended');
              return;
            }
            controller.enqueue(value);
          } catch (error) {
            controller.error(error);
            void reader.cancel(error).catch(() => undefined);
            if (!init.signal?.aborted) onBroken(method, 'broken');
          }
        },
        cancel: (reason) => reader.cancel(reason),
      });
    }
  };
}

/** True for the request whose answer carries notices as long as the connection lasts (2026-07-28). */
function isListening(body: RequestInit['body']): boolean {
  return typeof body === 'string' && body.includes('"method":"subscriptions/listen"');
}

/** Returns a function that counts the bytes of each event of a stream and throws InvalidInputError if one is too large. */
function createEventSizeLimit(): (bytes: Uint8Array) => void {
  let size = 0;
  let isLineEmpty = false;
  return (bytes) => {
    size += bytes.length;
    for (const [index, byte] of bytes.entries()) {
      // An empty line ends an event.
      if (byte === LINE_FEED && isLineEmpty) size = bytes.length - index - 1;
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED;
    }
    if (size > MAX_MESSAGE) {
      throw new InvalidInputError(serverText('answer-too-large', { count: MAX_MESSAGE }));
    }
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
