import { InvalidInputError } from '#server/core/errors';
import { atMost } from '#server/outgoing/at-most';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

/** What is learned from the responses of a tool server beside what they answer. */
export interface ResponseListener {
  /** Its list of tools is another one. */
  onToolsChanged(this: void): void;
  /** It cannot be reached, or a response of its own accord (`ended`) or not broke off. */
  onBroken(this: void, method: string, how: 'refused' | 'broken' | 'ended'): void;
}

/** Of one message, as it is read: an answer, or an event of a stream that goes on for days. Bytes. */
const MAX_MESSAGE = 32_000_000;
const TOOLS_CHANGED = 'notifications/tools/list_changed';

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });

/** `fetch` for one tool server. The client takes no notifications, so they are looked for here. */
export function watchedFetch({ onToolsChanged, onBroken }: ResponseListener): typeof fetch {
  return async (input, init = {}) => {
    const method = init.method ?? 'GET';
    const response = await fetchConfigured(input, init).catch((error: unknown) => {
      if (!init.signal?.aborted && !(error instanceof InvalidInputError)) onBroken(method, 'refused');
      throw error;
    });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.includes('text/event-stream');
    const watched = isStream ? watchStream(response.body) : response.body.pipeThrough(atMost(MAX_MESSAGE));
    return new Response(watched, { status, statusText, headers });

    function watchStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = body.getReader();
      const decoder = new TextDecoder();
      const grow = sizeOfEvent();
      let tail = '';
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!done) grow(value);
            if (done) {
              controller.close();
              if (!init.signal?.aborted) onBroken(method, 'ended');
              return;
            }
            const text = tail + decoder.decode(value, { stream: true });
            if (text.includes(TOOLS_CHANGED)) onToolsChanged();
            tail = text.slice(text.lastIndexOf('\n') + 1).slice(-TOOLS_CHANGED.length);
            if (tail.includes(TOOLS_CHANGED)) tail = '';
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

/** Counts the bytes of one event. @returns takes the next ones in, and throws InvalidInputError where they are too many */
function sizeOfEvent(): (bytes: Uint8Array) => void {
  let size = 0;
  let isLineEmpty = false;
  return (bytes) => {
    size += bytes.length;
    for (const [index, byte] of bytes.entries()) {
      // An event ends with an empty line.
      if (byte === LINE_FEED && isLineEmpty) size = bytes.length - index - 1;
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED;
    }
    if (size > MAX_MESSAGE) {
      throw new InvalidInputError(`The answer is above ${MAX_MESSAGE.toLocaleString('en-US')} bytes.`);
    }
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
