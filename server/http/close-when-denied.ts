/**
 * Interval of the checks; milliseconds. Without a notification, a stream continues for at most this time after its
 * recipient has lost access.
 */
const CHECK_INTERVAL_MS = 10_000;

/** The recipient of a stream. */
interface Recipient {
  /** True if the recipient is still allowed to receive the stream. Never throws. */
  readonly isAllowed: () => Promise<boolean>;
  /** Calls a function when the recipient's access may have changed, until the returned function is called. */
  readonly onAccessChange: (listener: () => void) => () => void;
  /** Aborts when the client disconnects: the only notice if the stream has not been read yet. */
  readonly signal: AbortSignal;
  /** Called when the response is over, for any reason; possibly more than once. */
  readonly onEnd?: () => void;
}

/**
 * Returns the same response, whose event stream ends when its recipient loses access: banned, signed out, a key revoked, a
 * scope lost. A client that still has access to a part of the stream connects again and is checked then. Responses that
 * are no event streams are returned unchanged, because they end by themselves.
 */
export function closeWhenDenied(response: Response, { isAllowed, onAccessChange, signal, onEnd }: Recipient): Response {
  const { body, headers, status } = response;
  if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    onEnd?.();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const check = async () => {
    if (!signal.aborted && (await isAllowed())) return;
    end();
    await reader.cancel().catch(() => undefined);
  };
  const checking = setInterval(() => void check(), CHECK_INTERVAL_MS);
  // Does not keep the process alive.
  checking.unref();
  const unsubscribe = onAccessChange(() => void check());
  const end = () => {
    clearInterval(checking);
    unsubscribe();
    onEnd?.();
  };
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, headers });
}
