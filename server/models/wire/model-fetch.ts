import { setTimeout as pause } from 'node:timers/promises';
import type { Env } from '#server/platform/config/env';
import { parseJson } from '#server/core/json';
import { isEmpty } from '#server/models/wire/json-fields';
import { ChatEvents, normalizedBody } from '#server/models/wire/normalize-chat-response';
import { withImageDetails } from '#server/models/wire/image-detail-levels';
import { gatheringMs, MergedEvents } from '#server/models/wire/merged-events';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3, mayBeSilent: true });

/** Status for an error body that names none. */
const BAD_GATEWAY = 502;

/** Maximum silence of a streamed response, milliseconds; comments in the stream count as activity. */
interface SilenceLimits {
  /** Until its first event. */
  readonly firstTokenMs: number;
  /** Between two pieces. */
  readonly idleMs: number;
}

/** Services answer within seconds; a large model with hidden reasoning takes minutes. */
export const SERVICE_SILENCE: SilenceLimits = { firstTokenMs: 180_000, idleMs: 120_000 };
/** A local machine may load the model first, and takes minutes to read a long request. */
export const LOCAL_SILENCE: SilenceLimits = { firstTokenMs: 600_000, idleMs: 600_000 };

/** The limits from the environment, else `unset`. */
export function silenceLimits(env: Env, unset: SilenceLimits): SilenceLimits {
  const { FIRST_TOKEN_TIMEOUT: first, IDLE_TIMEOUT: idle } = env;
  return {
    firstTokenMs: first === undefined ? unset.firstTokenMs : first * 1_000,
    idleMs: idle === undefined ? unset.idleMs : idle * 1_000,
  };
}

/**
 * A response that is not streamed arrives as a whole: it may take as long as a streamed one until its first event, and
 * then as long as that one between two pieces.
 */
const wholeLimits = ({ firstTokenMs, idleMs }: SilenceLimits): SilenceLimits => ({
  firstTokenMs: firstTokenMs + idleMs,
  idleMs,
});

/** The model was silent for too long. */
export class ModelSilentError extends Error {
  /** True if it happened in the middle of a response. */
  readonly hasBegun: boolean;
  readonly limitMs: number;

  constructor(hasBegun: boolean, limitMs: number) {
    super(`The model ${hasBegun ? 'said nothing more' : 'did not begin'} for ${limitMs} ms.`);
    this.name = 'ModelSilentError';
    this.hasBegun = hasBegun;
    this.limitMs = limitMs;
  }
}

/** The stream has ended without a sign that the answer is complete. */
export class BrokenOffError extends Error {
  constructor() {
    super('Premature close: the answer has no end.');
    this.name = 'BrokenOffError';
  }
}

/**
 * Creates the `fetch` for a model provider.
 *
 * Some answer with status 200 and a JSON error (OpenRouter if its upstream fails early, local servers for a prompt that
 * is too long): the SDK's packages find no event in it, drop its content and report an empty response. Here it becomes
 * an error response, with the status that it names, else 502. An event stream passes through as it arrives (events of
 * the chat completions format normalized), under load in larger pieces; it ends with `[DONE]`, whether or not the
 * server closes the connection, and with ModelSilentError if it is silent for too long. If the body ends with neither
 * `[DONE]` nor a finish reason nor an error, the response counts as broken off. Silence limits a response that is not
 * streamed as a whole.
 * @param through wraps the function that sends the requests, for servers that need another format
 */
export function createModelFetch(
  limits: SilenceLimits = SERVICE_SILENCE,
  through: (send: typeof fetch) => typeof fetch = (send) => send,
): typeof fetch {
  const sendAsked = through(fetchConfigured);
  return async (input, asked = {}) => {
    const init = typeof asked.body === 'string' ? { ...asked, body: withImageDetails(asked.body) } : asked;
    // Google's streaming is requested in the address.
    const isStreamed =
      typeof init.body === 'string' &&
      (/"stream"\s*:\s*true/.test(init.body) || addressIn(input).includes(':streamGenerateContent'));
    const isChat = new URL(addressIn(input)).pathname.endsWith('/chat/completions');
    const silence = new Silence(isStreamed ? limits : wholeLimits(limits));
    const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const response = await silence.watch(async () =>
      withStatus(await sendAsked(input, { ...init, signal }), { isStreamed, isChat }),
    );
    if (!isStreamed || !response.body) return response;
    // Another body may be JSON lines, which contain no events to wait for.
    const isEvents = /event-stream/i.test(response.headers.get('content-type') ?? '');
    const events = isEvents ? new AnswerEvents(isChat) : null;
    return new Response(eventsOf(response.body, silence, events), response);
  };
}

/** The events of a response: those of the chat completions format are normalized, and all are merged if possible. */
class AnswerEvents {
  readonly #chat: ChatEvents | null;
  readonly #merged = new MergedEvents();

  constructor(isChat: boolean) {
    this.#chat = isChat ? new ChatEvents() : null;
  }

  take(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#merged.take(this.#chat?.take(bytes) ?? bytes);
  }

  rest(): Uint8Array<ArrayBuffer> {
    const last = this.#chat ? this.#merged.take(this.#chat.rest()) : new Uint8Array();
    return Buffer.concat([last, this.#merged.rest()]);
  }
}

function addressIn(input: RequestInfo | URL): string {
  return input instanceof Request ? input.url : input.toString();
}

/** Limits each wait for a part of a response. */
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

  /** @throws ModelSilentError if the work takes too long */
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

/** Maximum wait for the end of the body after the last event, so that the connection can be reused; milliseconds. */
const LINGER_MS = 1_000;

const NOTHING: Uint8Array = new Uint8Array();
/** Maximum bytes that are handled together. */
const MAX_GATHERED_BYTES = 1_000_000;

/** The bytes of an event stream up to `[DONE]`. */
function eventsOf(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
  events: AnswerEvents | null,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const lines = new EventLines();
  let reading: Promise<ReadableStreamReadResult<Uint8Array>> | null = null;
  const read = () => (reading ??= reader.read());
  /** The next piece and, under load, the pieces that arrive shortly after it; null at the end. */
  async function gathered(): Promise<Uint8Array | null> {
    const wait = lines.hasEvent ? gatheringMs() : 0;
    let next: ReadableStreamReadResult<Uint8Array> | null = await silence.watch(read);
    const over = wait > 0 ? pause(wait, null) : null;
    const pieces: Uint8Array[] = [];
    let size = 0;
    while (next && !next.done) {
      reading = null;
      pieces.push(next.value);
      size += next.value.length;
      // Keeps reading without a pause: when a connection breaks off, unread data is lost. Its end is detected again
      // later.
      next = over && size < MAX_GATHERED_BYTES ? await Promise.race([read().catch(() => null), over]) : null;
    }
    return pieces.length === 0 ? null : Buffer.concat(pieces);
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let whole = NOTHING; whole.length === 0 && !lines.isDone;) {
        const bytes = await gathered();
        if (bytes === null) {
          if (lines.hasEvent && !lines.hasEnding) throw new BrokenOffError();
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
      void cancelReader(reader);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function cancelReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, LINGER_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The result is no longer awaited.
  } finally {
    clearTimeout(timer);
  }
}

/** Characters at the start of a line that are kept to identify it. */
const LINE_HEAD = 32;
/**
 * End of a response other than `[DONE]`; Google gives a reason when it returns no answer. In text of the model the
 * quotes would be escaped.
 */
const ENDING =
  /"(?:(?:finish_reason|finishReason|blockReason|stop_reason)"\s*:\s*"|error"\s*:\s*["{]|response\.(?:completed|incomplete|failed)")/;
/** Characters that are kept to recognise an ending split over two pieces. */
const ENDING_LENGTH = 64;

/** Recognises lines of an event stream that arrives in pieces. */
class EventLines {
  #head = '';
  #tail = '';
  /** True after the first event; comments do not count. */
  hasEvent = false;
  /** True after `[DONE]`. */
  isDone = false;
  /** True after the server has reported how the response ended, or that it failed. */
  hasEnding = false;

  add(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    this.hasEnding ||= ENDING.test(this.#tail + text);
    this.#tail = (this.#tail + text).slice(-ENDING_LENGTH);
    const lines = (this.#head + text).split(/\r\n|\r|\n/);
    for (const line of lines) {
      const isError = /^(?:error:|event: ?error$)/.test(line);
      this.hasEvent ||= isError || line.startsWith('data:');
      this.hasEnding ||= isError;
      this.isDone ||= /^data: ?\[DONE\]$/.test(line);
    }
    this.#head = lines.at(-1)?.slice(0, LINE_HEAD) ?? '';
  }
}

interface Request {
  readonly isStreamed: boolean;
  /** In the chat completions format. */
  readonly isChat: boolean;
}

/** The response with the status named in its JSON; a complete response of the chat completions format is normalized. */
async function withStatus(response: Response, { isStreamed, isChat }: Request): Promise<Response> {
  if (!response.ok || !/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const body = await response.clone().text();
  const status = statusIn(body, isStreamed);
  if (status !== null) return new Response(body, { status, headers: response.headers });
  return isChat ? new Response(normalizedBody(body), response) : response;
}

/**
 * Status of the error in a body; null if it contains none.
 * @param mustAnswer whether JSON without an answer also counts as an error
 */
function statusIn(body: string, mustAnswer: boolean): number | null {
  const answer = parseJson(body);
  if (answer === undefined) return null;
  const { error, choices } = (answer ?? {}) as { error?: unknown; choices?: unknown };
  const isAnswer = !mustAnswer || choices !== undefined;
  if (isAnswer && isEmpty(error)) return null;
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown };
  return [code, status].map(Number).find((named) => named >= 400 && named <= 599) ?? BAD_GATEWAY;
}
