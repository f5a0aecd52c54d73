import { InvalidInputError } from '#server/core/errors';
import { HEARTBEAT_MS } from '#server/core/heartbeat';
import { eventIdSchema } from '#server/http/schemas/events';

/** When a browser tries again after a lost connection; milliseconds. */
const RETRY_MS = 1_000;

/**
 * Where a client that comes back wants to go on: what a browser sends by itself when it reconnects.
 * @throws InvalidInputError
 */
export function lastEventId(request: Request): number | undefined {
  const sent = request.headers.get('last-event-id') ?? '';
  if (sent === '') return undefined;
  const parsed = eventIdSchema.safeParse(sent);
  if (!parsed.success) throw new InvalidInputError('The header Last-Event-ID is not the id of an event.');
  return parsed.data;
}

/** What is told in one message of a stream. */
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
        const result = await withinHeartbeat(next);
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

/** Null when it takes longer than a heartbeat. */
async function withinHeartbeat<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const heartbeat = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, HEARTBEAT_MS, null);
  });
  try {
    return await Promise.race([work, heartbeat]);
  } finally {
    clearTimeout(timer);
  }
}
