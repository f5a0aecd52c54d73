import { setTimeout as pause } from 'node:timers/promises';
import type { Env } from '#server/config/env';
import { parseJson } from '#server/core/json';
import { withImageDetails } from '#server/models/image-details';
import { gatheringMs, MergedEvents } from '#server/models/merged-events';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3, mayBeSilent: true });

/** Status for an error body that names none. */
const BAD_GATEWAY = 502;

/** Longest silence of a streamed answer, milliseconds; comments of the stream count as a sign of life. */
interface SilenceLimits {
  /** Until its first event. */
  readonly firstTokenMs: number;
  /** Between two pieces. */
  readonly idleMs: number;
}

/** Services answer within seconds; a large model that thinks hidden thoughts takes minutes. */
export const SERVICE_SILENCE: SilenceLimits = { firstTokenMs: 180_000, idleMs: 120_000 };
/** A local machine may load the model first, and takes minutes to read a long request. */
export const LOCAL_SILENCE: SilenceLimits = { firstTokenMs: 600_000, idleMs: 600_000 };

/** The limits set by the environment, else `unset`. */
export function silenceLimits(
  env: Pick<Env, 'FIRST_TOKEN_TIMEOUT' | 'IDLE_TIMEOUT'>,
  unset: SilenceLimits,
): SilenceLimits {
  const { FIRST_TOKEN_TIMEOUT: first, IDLE_TIMEOUT: idle } = env;
  return {
    firstTokenMs: first === undefined ? unset.firstTokenMs : first * 1_000,
    idleMs: idle === undefined ? unset.idleMs : idle * 1_000,
  };
}

/** The model was silent for too long. */
export class ModelSilentError extends Error {
  /** True in the middle of an answer. */
  readonly hasBegun: boolean;
  readonly limitMs: number;

  constructor(hasBegun: boolean, limitMs: number) {
    super(`The model ${hasBegun ? 'said nothing more' : 'did not begin'} for ${limitMs} ms.`);
    this.name = 'ModelSilentError';
    this.hasBegun = hasBegun;
    this.limitMs = limitMs;
  }
}

/**
 * Makes the `fetch` for a model provider.
 *
 * Some answer with status 200 and a JSON error (OpenRouter does when its upstream fails early, local servers for a prompt
 * that is too long): the SDK's packages find no event in it, drop what it says and report an empty answer. Here such an
 * answer becomes an error response, with the status that it names, else 502. An event stream passes through as it
 * arrives, under load in larger pieces; it ends with `[DONE]`, whether or not the server closes the connection, and with ModelSilentError when it is
 * silent for too long. Where the body ends with neither `[DONE]` nor a reason for its end nor an error, the answer broke off.
 */
export function createModelFetch(limits: SilenceLimits = SERVICE_SILENCE): typeof fetch {
  return async (input, asked = {}) => {
    const init = typeof asked.body === 'string' ? { ...asked, body: withImageDetails(asked.body) } : asked;
    // Google says it in the address.
    const isStreamed =
      typeof init.body === 'string' &&
      (/"stream"\s*:\s*true/.test(init.body) || addressIn(input).includes(':streamGenerateContent'));
    if (!isStreamed) return withStatus(await fetchConfigured(input, init), false);
    const silence = new Silence(limits);
    const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const response = await silence.watch(async () =>
      withStatus(await fetchConfigured(input, { ...init, signal }), true),
    );
    if (!response.body) return response;
    // Another body may be JSON by the line, which has no events to wait for the end of.
    const events = /event-stream/i.test(response.headers.get('content-type') ?? '') ? new MergedEvents() : null;
    return new Response(eventsOf(response.body, silence, events), response);
  };
}

function addressIn(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : input.toString();
}

/** Limits each wait for a part of an answer. */
class Silence {
  readonly #limits: SilenceLimits;
  readonly #over = new AbortController();
  hasBegun = false;

  constructor(limits: SilenceLimits) {
    this.#limits = limits;
  }

  /** Aborts with ModelSilentError. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** @throws ModelSilentError when the work takes too long */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    const { firstTokenMs, idleMs } = this.#limits;
    const limitMs = this.hasBegun ? idleMs : firstTokenMs;
    const timer = setTimeout(() => this.#over.abort(new ModelSilentError(this.hasBegun, limitMs)), limitMs);
    try {
      return await work();
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Longest wait for the end of the body after the last event, so that the connection can be reused; milliseconds. */
const LINGER_MS = 1_000;

const NOTHING: Uint8Array = new Uint8Array();
/** Bytes that are handled together at most. */
const MOST_GATHERED = 1_000_000;

/** The bytes of an event stream up to `[DONE]`. */
function eventsOf(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
  events: MergedEvents | null,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const lines = new EventLines();
  let reading: ReturnType<typeof reader.read> | null = null;
  const read = () => (reading ??= reader.read());
  /** The next piece, and under load what comes within a while after it; null at the end. */
  async function gathered(): Promise<Uint8Array | null> {
    const wait = lines.hasEvent ? gatheringMs() : 0;
    let next: Awaited<ReturnType<typeof read>> | null = await silence.watch(read);
    const over = wait > 0 ? pause(wait, null) : null;
    const pieces: Uint8Array[] = [];
    let size = 0;
    while (next && !next.done) {
      reading = null;
      pieces.push(next.value);
      size += next.value.length;
      // It is read without a pause: a connection that breaks off takes along what nobody has read. How it ends is met again.
      next = over && size < MOST_GATHERED ? await Promise.race([read().catch(() => null), over]) : null;
    }
    return pieces.length === 0 ? null : Buffer.concat(pieces);
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let whole = NOTHING; whole.length === 0 && !lines.isDone;) {
        const bytes = await gathered();
        if (bytes === null) {
          if (lines.hasEvent && !lines.hasEnding) throw new Error('Premature close: the answer has no end.');
          controller.enqueue(events?.rest() ?? NOTHING);
          return controller.close();
        }
        lines.add(bytes);
        silence.hasBegun = lines.hasEvent;
        whole = events ? Buffer.concat([events.take(bytes), lines.isDone ? events.rest() : NOTHING]) : bytes;
        if (whole.length > 0) controller.enqueue(whole);
      }
      if (!lines.isDone) return;
      controller.enqueue(new TextEncoder().encode('\n\n'));
      controller.close();
      void letGo(reader);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function letGo(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, LINGER_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // Nobody waits for it any more.
  } finally {
    clearTimeout(timer);
  }
}

/** Characters at the start of a line that are kept to recognize it. */
const LINE_HEAD = 32;
/** End of an answer other than `[DONE]`; Google says why it gives none. In text of the model the quotes would be escaped. */
const ENDING =
  /"(?:(?:finish_reason|finishReason|blockReason|stop_reason)"\s*:\s*"|error"\s*:\s*["{]|response\.(?:completed|incomplete|failed)")/;
/** Characters that are kept to recognize an ending that comes in two pieces. */
const ENDING_LENGTH = 64;

/** Recognizes lines of an event stream that arrives in pieces. */
class EventLines {
  #head = '';
  #tail = '';
  /** True after the first event; comments do not count. */
  hasEvent = false;
  /** True after `[DONE]`. */
  isDone = false;
  /** True once the server has said how the answer ended, or that it failed. */
  hasEnding = false;

  add(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    this.hasEnding ||= ENDING.test(this.#tail + text);
    this.#tail = (this.#tail + text).slice(-ENDING_LENGTH);
    const lines = (this.#head + text).split(/\r\n|\r|\n/);
    for (const line of lines) {
      this.hasEvent ||= line.startsWith('data:');
      this.isDone ||= /^data: ?\[DONE\]$/.test(line);
    }
    this.#head = lines.at(-1)?.slice(0, LINE_HEAD) ?? '';
  }
}

/** The response with the status named in its JSON. */
async function withStatus(response: Response, mustAnswer: boolean): Promise<Response> {
  if (!response.ok || !/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const body = await response.clone().text();
  const status = statusIn(body, mustAnswer);
  return status === null ? response : new Response(body, { status, headers: response.headers });
}

/**
 * Status of the error in a body; null if there is none.
 * @param mustAnswer whether JSON without an answer is an error, too
 */
function statusIn(body: string, mustAnswer: boolean): number | null {
  const answer = parseJson(body);
  if (answer === undefined) return null;
  const { error, choices } = (answer ?? {}) as { error?: unknown; choices?: unknown };
  const isAnswer = !mustAnswer || choices !== undefined;
  if (isAnswer && (error === null || error === undefined || error === '')) return null;
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown };
  return [code, status].map(Number).find((named) => named >= 400 && named <= 599) ?? BAD_GATEWAY;
}
