import { within } from '#server/core/async';
import { InvalidInputError } from '#server/core/errors';
import { HEARTBEAT_MS } from '#server/core/events';
import { eventIdSchema } from '#server/http/schemas/sessions';

/** Wait before a browser retries a lost connection; milliseconds. */
const RETRY_MS = 1_000;

/**
 * Event after which a returning client wants to go on: browsers send it by themselves when they reconnect.
 * @throws InvalidInputError
 */
export function lastEventId(request: Request): number | undefined {
  const sent = request.headers.get('last-event-id') ?? '';
  if (sent === '') return undefined;
  const parsed = eventIdSchema.safeParse(sent);
  if (!parsed.success) throw new InvalidInputError('The header Last-Event-ID is not the id of an event.');
  return parsed.data;
}

/** One message of a stream. */
interface StreamedEvent {
  readonly id: number;
  readonly name: string;
  readonly data: unknown;
}

/**
 * Events as Server-Sent Events, as fast as the client takes them, with a comment as heartbeat when there are none.
 * @param afterId where it starts, told at once: a client that heard nothing yet also knows where to go on
 */
export function eventStreamResponse(events: ReadableStream<StreamedEvent>, afterId: number): Response {
  const reader = events.getReader();
  let next: ReturnType<typeof reader.read> | null = null;
  const frames = new ReadableStream<string>(
    {
      start: (controller) => controller.enqueue(`retry: ${RETRY_MS}\nid: ${afterId}\n\n`),
      async pull(controller) {
        next ??= reader.read();
        const result = await within(HEARTBEAT_MS, next);
        if (result === null) return controller.enqueue(': heartbeat\n\n');
        next = null;
        if (result.done) return controller.close();
        controller.enqueue(frameOf(result.value));
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
  return new Response(frames.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      // A proxy that collects or compresses it would hold it back.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

function frameOf({ id, name, data }: StreamedEvent): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Time a stream may outlive the right to it where nobody told of its end; milliseconds. */
export const CHECKED_EVERY_MS = 10_000;

/** The listener of a stream. */
interface Listener {
  /** Tells whether the listener is still allowed to. Never throws. */
  readonly isAllowed: () => Promise<boolean>;
  /** Calls back when that may be otherwise, until the returned function is called. */
  readonly onDoubt: (listener: () => void) => () => void;
  /** Aborts when he is gone: a stream that nobody has begun to read hears of it in no other way. */
  readonly signal: AbortSignal;
  /** Called when the answer is over, however it ends; possibly more than once. */
  readonly onEnd?: () => void;
}

/**
 * Ends a stream of events once who asked for it may not have it any more: banned, signed out, a key revoked, a scope lost.
 * Who may still have some of it asks again, and is judged anew. Other answers end by themselves.
 */
export function whileAllowed(response: Response, { isAllowed, onDoubt, signal, onEnd }: Listener): Response {
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
  const doubts = onDoubt(() => void check());
  const end = () => {
    clearInterval(checking);
    doubts();
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
