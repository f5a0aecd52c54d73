import { mayPass } from '#components/api/api-error';
import { readEventFrames } from '#components/api/event-stream';
import type { SessionEventData, SessionEventName } from '#server/core/events';

/** An event as a client hears it; its `id` grows within the session. */
export type FollowedEvent = {
  [Name in SessionEventName]: {
    readonly id: number;
    readonly name: Name;
    readonly data: SessionEventData[Name];
  };
}[SessionEventName];

export interface FollowOptions<Event = FollowedEvent> {
  readonly onEvent: (event: Event) => void;
  /** The connection stands, at first and after each loss. */
  readonly onOpen?: () => void;
  /** Told once where events begin: those up to this id are not heard. Not with `lastEventId`. */
  readonly onStart?: (afterId: number) => void;
  /** Receives what `onEvent` has thrown; by default it is written to the console. Following goes on with the next event. */
  readonly onError?: (error: unknown) => void;
  /** Goes on behind this event; without it, with what comes from now on. */
  readonly lastEventId?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Pauses before the next attempt; ms. The last one repeats. */
const RETRY_DELAYS = [500, 1_000, 2_000, 5_000];
/** The server shows every 15 s that it is there: after this much silence it is not; ms. */
const MAX_SILENCE = 40_000;

/**
 * Hears every event of a stream (a session's, unless told otherwise) once, in order, until `signal` aborts: after a lost connection it goes on behind the
 * last event it had. Ends by itself when the server refuses (the session was deleted).
 * @param connect makes the request; null when no answer came
 */
export function followEvents<Event = FollowedEvent>(
  connect: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response | null>,
  { onEvent, onOpen, onStart, onError = logError, lastEventId, signal }: FollowOptions<Event>,
): void {
  let lastId = lastEventId === undefined ? undefined : String(lastEventId);
  let failures = 0;

  /** False: there is no point in trying again. */
  const attempt = async (): Promise<boolean> => {
    const silence = startWatch(signal);
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const response = await connect(headers, silence.signal);
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
        if (lastId === undefined && id !== undefined) onStart?.(Number(id));
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

/** A signal that aborts with the other one, or when nobody has said for a while that all is well. */
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

/** A connection that breaks ends like one that is closed: both are made again. */
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
