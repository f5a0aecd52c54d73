import { mayPass } from '#components/api/api-error.ts';
import { readEventFrames } from '#components/api/event-stream.ts';
import type { SessionEventData, SessionEventName } from '#server/core/conversation/events';

/** An event as a client receives it; its `id` grows within the session. */
export type FollowedEvent = {
  [Name in SessionEventName]: {
    readonly id: number;
    readonly name: Name;
    readonly data: SessionEventData[Name];
  };
}[SessionEventName];

/** Callbacks and position of a subscription to events. */
export interface FollowOptions<Event = FollowedEvent> {
  readonly onEvent: (event: Event) => void;
  /** Called when the connection opens, at first and after each loss. */
  readonly onOpen?: () => void;
  /** Called when an attempt to connect fails, with the status of the response; 0: there was none. */
  readonly onRefused?: (status: number) => void;
  /**
   * Receives errors thrown by `onEvent`; by default they are written to the console. The next event is delivered
   * anyway.
   */
  readonly onError?: (error: unknown) => void;
  /** Continues after this event; without it, only new events are reported. */
  readonly lastEventId?: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** Pauses before the next attempt; ms. The last one repeats. */
const RETRY_DELAYS = [500, 1_000, 2_000, 5_000];
/** The server sends a comment every 15 s; after this time without anything the connection counts as lost; ms. */
const MAX_SILENCE = 40_000;

/**
 * Reports every event of a stream (by default a session's) once, in order, until `signal` aborts: after a lost
 * connection it continues after the last received event. Ends by itself when the server refuses (the session was
 * deleted).
 * @param connect makes the request; null if there was no response
 */
export function followEvents<Event = FollowedEvent>(
  connect: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response | null>,
  { onEvent, onOpen, onRefused, onError = logError, lastEventId, signal }: FollowOptions<Event>,
): void {
  let lastId = lastEventId === undefined ? undefined : String(lastEventId);
  let failures = 0;

  /** Makes one connection and reads it to its end. False: further attempts are useless, because the server refused. */
  const attempt = async (): Promise<boolean> => {
    const silence = startWatch(signal);
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const response = await connect(headers, silence.signal);
      if (!signal.aborted && !response?.ok) onRefused?.(response?.status ?? 0);
      if (response && !response.ok) {
        await response.body?.cancel().catch(() => undefined);
        return mayPass(response.status);
      }
      if (!response?.body) return true;
      onOpen?.();
      for await (const { id, event, data } of untilBroken(readEventFrames(response.body))) {
        silence.reset();
        failures = 0;
        if (signal.aborted) return false;
        lastId = id ?? lastId;
        if (event === undefined || data === undefined) continue;
        try {
          onEvent({ id: Number(id), name: event, data: JSON.parse(data) } as Event);
        } catch (error) {
          onError(error);
        }
      }
      return true;
    } finally {
      silence.end();
    }
  };

  const run = async () => {
    while (!signal.aborted && (await attempt())) {
      const delay = RETRY_DELAYS[Math.min(failures, RETRY_DELAYS.length - 1)] ?? 0;
      failures += 1;
      await pause(delay, signal);
    }
  };
  void run();
}

function logError(error: unknown): void {
  // oxlint-disable-next-line no-console -- The fault is the listener's, and nobody else would hear of it.
  console.error(error);
}

/** A signal that aborts with `signal`, or when `reset` was not called for MAX_SILENCE. */
function startWatch(signal: AbortSignal) {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const start = () => {
    timer = setTimeout(() => silent.abort(), MAX_SILENCE);
  };
  start();
  return {
    signal: AbortSignal.any([signal, silent.signal]),
    reset: () => {
      clearTimeout(timer);
      start();
    },
    end: () => clearTimeout(timer),
  };
}

/** Ends the sequence on a broken connection as on a closed one: both lead to a new connection. */
async function* untilBroken<T>(items: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  try {
    for (;;) {
      const { value, done } = await items.next().catch(() => ({ value: undefined, done: true as const }));
      if (done) return;
      yield value;
    }
  } finally {
    await items.return();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { signal: over.signal });
  });
  over.abort();
}
