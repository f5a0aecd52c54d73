/** How long a stream may outlive the right to it; milliseconds. */
export const CHECKED_EVERY_MS = 10_000;

/** Who listens to a stream. */
interface Listener {
  /** Whether he may still have it. Never throws. */
  readonly isAllowed: () => Promise<boolean>;
  /** Aborts when he is gone: a stream that nobody has begun to read hears of it in no other way. */
  readonly signal: AbortSignal;
  /** Called when the stream has ended or he is gone, once or more. */
  readonly onEnd?: () => void;
}

/**
 * Ends a stream of events once who asked for it may not have it any more: banned, signed out, a key revoked, a scope lost.
 * Who may still have some of it asks again, and is judged anew. Other answers end by themselves.
 */
export function whileAllowed(response: Response, { isAllowed, signal, onEnd }: Listener): Response {
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
  const checking = setInterval(() => void check(), CHECKED_EVERY_MS);
  // The process does not stay alive for it.
  checking.unref();
  const end = () => {
    clearInterval(checking);
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
