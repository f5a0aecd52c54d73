import { serverText } from '#server/core/messages/server-text';
import { within } from '#server/core/async';
import { InvalidInputError } from '#server/core/errors';
import { HEARTBEAT_MS } from '#server/core/conversation/events';
import { eventIdSchema } from '#server/http/schemas/sessions';

/** Delay before a browser opens a lost connection again; milliseconds. */
const RETRY_MS = 1_000;

/**
 * Id of the last event that a reconnecting client has received (`Last-Event-ID`): browsers send it automatically.
 * Undefined for a new client.
 * @throws InvalidInputError for a header that is not the id of an event
 */
export function lastEventId(request: Request): number | undefined {
  const sent = request.headers.get('last-event-id') ?? '';
  if (sent === '') return undefined;
  const parsed = eventIdSchema.safeParse(sent);
  if (!parsed.success) throw new InvalidInputError(serverText('event-id-invalid'));
  return parsed.data;
}

/** One event of a stream. */
interface StreamedEvent {
  readonly id: number;
  readonly name: string;
  readonly data: unknown;
}

/**
 * Sends events as Server-Sent Events, as fast as the client reads them, with a comment as heartbeat while no events
 * arrive.
 * @param afterId id of the event before the first one. It is sent immediately, so that a client which loses the
 * connection before it receives an event continues at the right place
 */
export function eventStreamResponse(events: ReadableStream<StreamedEvent>, afterId: number): Response {
  const reader = events.getReader();
  let next: Promise<ReadableStreamReadResult<StreamedEvent>> | null = null;
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
      // A proxy that buffers or compresses the stream would delay it.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

function frameOf({ id, name, data }: StreamedEvent): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
