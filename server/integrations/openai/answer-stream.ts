import type { AnswerFormat, AnswerIdentity, StreamEvent } from '#server/integrations/openai/answer-format';
import type { AnswerEvent } from '#server/integrations/openai/answer-events';
import { within } from '#server/core/async';

/** Time without an event after which a comment is sent: clients and proxies close silent connections. Milliseconds. */
const COMMENT_INTERVAL_MS = 5_000;

/** A response to be streamed. */
export interface AnswerStream {
  readonly identity: AnswerIdentity;
  readonly events: AsyncGenerator<AnswerEvent>;
  readonly format: AnswerFormat;
  /** The body of an error in the same format. */
  readonly errorBody: (error: unknown) => object;
  /** Called when the client has disconnected. */
  readonly onCancel: () => void;
  /** Default: 5 seconds. Milliseconds. */
  readonly commentEveryMs?: number;
}

/**
 * Streams a response as Server-Sent Events in its format, as fast as the client reads them.
 * While no event arrives, comments keep the connection open: `: compacting` during a compaction, else `: keep-alive`. A
 * failure in the middle becomes an event with the error, and ends the stream.
 */
export function answerStream(answer: AnswerStream): ReadableStream<Uint8Array> {
  const { identity, events, format, errorBody, onCancel, commentEveryMs = COMMENT_INTERVAL_MS } = answer;
  const writer = format.stream(identity);
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
            if (format.ending !== '') send(format.ending);
            return controller.close();
          }
          comment = result.value.type === 'compacting' ? ': compacting\n\n' : ': keep-alive\n\n';
          const frames = (await writer.write(result.value)).map(frameOf);
          // Sent immediately, so that a client can show the progress.
          send(frames.length === 0 ? comment : frames.join(''));
        } catch (error) {
          send(frameOf(writer.fail(errorBody(error))));
          controller.close();
        }
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}

function frameOf({ name, data }: StreamEvent): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
