import type { AnswerEvent } from '#server/completions/wire/answer-event';

/** A silent line is told to be alive this often, milliseconds. */
const COMMENT_EVERY_MS = 5_000;

export interface AnswerStream {
  /** Ends them when nobody reads any more. */
  readonly events: AsyncGenerator<AnswerEvent>;
  /** The chunks that an event is told in. */
  readonly chunksOf: (event: AnswerEvent) => readonly object[];
  /** The body of an error in the format's shape. */
  readonly errorBody: (error: unknown) => object;
  /** Nobody reads any more. */
  readonly onCancel: () => void;
  /** Default: 5 seconds. Milliseconds. */
  readonly commentEveryMs?: number;
}

/**
 * An answer as the Server-Sent Events of OpenAI's format, as fast as the client takes them: its chunks, then `[DONE]`.
 * While nothing comes, comments keep the line open: `: compacting` while the conversation is compacted, else
 * `: keep-alive`. A failure in the middle is an event with the error, and the end.
 */
export function answerStream(answer: AnswerStream): ReadableStream<Uint8Array> {
  const { events, chunksOf, errorBody, onCancel, commentEveryMs = COMMENT_EVERY_MS } = answer;
  const encoder = new TextEncoder();
  let waiting: Promise<IteratorResult<AnswerEvent>> | null = null;
  let comment = ': keep-alive\n\n';
  const next = () => {
    const result = events.next();
    // Nobody hears of a failure after the client is gone.
    result.catch(() => undefined);
    return result;
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        try {
          waiting ??= next();
          const result = await within(waiting, commentEveryMs);
          if (result === null) return send(comment);
          waiting = null;
          if (result.done) {
            send('data: [DONE]\n\n');
            return controller.close();
          }
          comment = result.value.type === 'compacting' ? ': compacting\n\n' : ': keep-alive\n\n';
          const chunks = chunksOf(result.value).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
          // At once, so that a client can show what goes on.
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

/** Null when it takes longer. */
async function within<T>(work: Promise<T>, limitMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
