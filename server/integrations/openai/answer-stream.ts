import type { AnswerEvent } from '#server/integrations/openai/completion-response';
import { within } from '#server/core/async';

/** Time without an event after which a comment is sent: clients and proxies close silent connections. Milliseconds. */
const COMMENT_INTERVAL_MS = 5_000;

/** A response to be streamed. */
export interface AnswerStream {
  readonly events: AsyncGenerator<AnswerEvent>;
  /** Converts an event to chunks of OpenAI's format (`createChunks`). */
  readonly chunksOf: (event: AnswerEvent) => readonly object[];
  /** The body of an error in OpenAI's format. */
  readonly errorBody: (error: unknown) => object;
  /** Called when the client has disconnected. */
  readonly onCancel: () => void;
  /** Default: 5 seconds. Milliseconds. */
  readonly commentEveryMs?: number;
}

/**
 * Streams a response as Server-Sent Events in OpenAI's format, as fast as the client reads them: its chunks, then `[DONE]`.
 * While no event arrives, comments keep the connection open: `: compacting` during a compaction, else `: keep-alive`. A
 * failure in the middle becomes an event with the error, and ends the stream.
 */
export function answerStream(answer: AnswerStream): ReadableStream<Uint8Array> {
  const { events, chunksOf, errorBody, onCancel, commentEveryMs = COMMENT_INTERVAL_MS } = answer;
  const encoder = new TextEncoder();
  let waiting: Promise<IteratorResult<AnswerEvent>> | null = null;
  let comment = ': keep-alive\n\n';
  const next = () => {
    const result = events.next();
    // A failure after the client has disconnected is ignored.
    result.catch(() => undefined);
    return result;
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        try {
          waiting ??= next();
          const result = await within(commentEveryMs, waiting);
          if (result === null) return send(comment);
          waiting = null;
          if (result.done) {
            send('data: [DONE]\n\n');
            return controller.close();
          }
          comment = result.value.type === 'compacting' ? ': compacting\n\n' : ': keep-alive\n\n';
          const chunks = chunksOf(result.value).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
          // Sent immediately, so that a client can show the progress.
          send(chunks.length === 0 ? comment : chunks.join(''));
        } catch (error) {
          send(`data: ${JSON.stringify(errorBody(error))}\n\n`);
          controller.close();
        }
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}
