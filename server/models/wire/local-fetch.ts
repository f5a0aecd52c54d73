import { parseJson } from '#server/core/json';
import { type Fields, isEmpty, isFields } from '#server/models/wire/json-fields';
import { BrokenOffError } from '#server/models/wire/model-fetch';

/* Special cases of requests to a local model server: it may fail with an empty stream, and its responses may share one
   context. */

/** Error code that replaces llama.cpp's "Context size has been exceeded" if two responses shared its context. */
export const SHARED_CONTEXT = 'shared_context_exceeded';

/**
 * llama.cpp's message when all its slots together have filled the context (server-context.cpp, and server.cpp of older
 * versions). LM Studio passes it on.
 */
const EXCEEDED = /context size has been exceeded|too big compared to KV size/i;

/** A response in progress. */
interface Running {
  /** Another response of the same server ran at the same time. */
  isShared: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

type Fetch = typeof fetch;
type Body = Readonly<Record<string, unknown>>;

/**
 * Creates a `fetch` for one model server.
 *
 * llama-cpp-python answers a streamed request that fails with status 200 and an empty stream. Such a request is sent
 * again without streaming and for one token, which returns the error; if that succeeds, the model gets no more streamed
 * requests. (A stream that breaks off before it says anything is only asked for its error: the next one may not.)
 *
 * Responses of llama.cpp share one context by default: if it was exceeded while several ran, the error is passed on with
 * the code SHARED_CONTEXT when the others have ended, and from then on they run one by one.
 */
export function createLocalFetch(send: Fetch): Fetch {
  const unstreamed = new Set<unknown>();
  const running = new Set<Running>();
  const order = { isSerial: false };

  /** Registers a response; first waits for the others if they must run one by one. */
  async function begin(signal: AbortSignal | null | undefined): Promise<Running> {
    while (order.isSerial && running.size > 0) await othersEnd(signal);
    const own: Running = { isShared: running.size > 0, ended: Promise.withResolvers() };
    for (const other of running) other.isShared = true;
    running.add(own);
    return own;
  }

  function end(own: Running): void {
    running.delete(own);
    own.ended.resolve();
  }

  /** Ends a response that is stopped: its reader may neither read on nor cancel it. */
  function endAtAbort(own: Running, signal: AbortSignal | null | undefined): void {
    const stop = () => end(own);
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    void own.ended.promise.then(() => signal?.removeEventListener('abort', stop));
  }

  async function othersEnd(signal: AbortSignal | null | undefined): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([...[...running].map((each) => each.ended.promise), aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
      aborted.promise.catch(() => undefined);
    }
  }

  async function answer(input: RequestInfo | URL, init: RequestInit, body: Body): Promise<Response> {
    const ask = (changes: Body) => {
      const { stream_options: _, ...rest } = body;
      return send(input, { ...init, body: JSON.stringify({ ...rest, stream: false, ...changes }) });
    };
    if (unstreamed.has(body['model'])) return streamOf(await ask({}));
    const response = await send(input, init);
    if (!response.ok || !response.body || !isEventStream(response)) return response;
    let broken: BrokenOffError | null = null;
    try {
      const stream = await withContent(response.body);
      if (stream) return new Response(stream, response);
    } catch (error) {
      if (!(error instanceof BrokenOffError)) throw error;
      broken = error;
    }
    const probe = await ask({ max_tokens: 1 });
    if (!probe.ok) return probe;
    await probe.body?.cancel();
    if (broken) throw broken;
    unstreamed.add(body['model']);
    return streamOf(await ask({}));
  }

  return async (input, init = {}) => {
    const body = typeof init.body === 'string' ? parseJson(init.body) : undefined;
    if (typeof body !== 'object' || body === null || (body as Body)['stream'] !== true) return send(input, init);
    const own = await begin(init.signal);
    endAtAbort(own, init.signal);
    let response: Response;
    try {
      response = await answer(input, init, body as Body);
      if (!response.ok && own.isShared && EXCEEDED.test(await response.clone().text())) {
        order.isSerial = true;
        end(own);
        return Response.json(sharedError, { status: 503 });
      }
    } catch (error) {
      end(own);
      throw error;
    }
    if (!response.ok || !response.body) {
      end(own);
      return response;
    }
    const onExceeded = () => {
      if (!own.isShared) return null;
      order.isSerial = true;
      return sharedError;
    };
    return new Response(
      watched(response.body, () => end(own), onExceeded),
      response,
    );
  };
}

const sharedError = {
  error: { message: 'Two answers shared the context of the model server.', code: SHARED_CONTEXT, type: 'server_error' },
};

const isEventStream = (response: Response) => /event-stream/i.test(response.headers.get('content-type') ?? '');

/** The stream from its beginning, after it has said something; null if it ends before that. */
async function withContent(body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array> | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  for (let open = '', hasContent = false; !hasContent;) {
    const { done, value } = await reader.read();
    if (done) return null;
    read.push(value);
    const lines = (open + decoder.decode(value, { stream: true })).split('\n');
    open = lines.pop() ?? '';
    hasContent = lines.some((line) => line.startsWith('data:') && isContent(line.slice('data:'.length).trim()));
  }
  return new ReadableStream<Uint8Array>({
    start: (controller) => read.forEach((piece) => controller.enqueue(piece)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** False for the end of a stream, and for an event that only names the role of what follows. */
function isContent(data: string): boolean {
  if (data === '[DONE]') return false;
  const event = parseJson(data);
  if (!isFields(event) || !Array.isArray(event['choices']) || !isEmpty(event['usage'])) return true;
  return event['choices'].filter(isFields).some(({ delta, finish_reason: reason }) => {
    const { role: _, ...said } = isFields(delta) ? delta : ({} as Fields);
    return !isEmpty(reason) || Object.values(said).some((value) => !isEmpty(value));
  });
}

/** A stream that reports its end, and in which the error of an exceeded context may be replaced. */
function watched(
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
  onExceeded: () => object | null,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd();
          return controller.close();
        }
        const text = Buffer.from(value).toString('utf8');
        // Events arrive whole: model-fetch forwards no partial ones.
        const other = EXCEEDED.test(text) && text.includes('"error"') ? onExceeded() : null;
        const events = text
          .split('\n\n')
          .map((event) =>
            other && EXCEEDED.test(event) && event.includes('"error"') ? `data: ${JSON.stringify(other)}` : event,
          );
        controller.enqueue(other ? new TextEncoder().encode(events.join('\n\n')) : value);
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}

/** A complete response as a stream with one event. */
async function streamOf(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { choices, ...rest } = (await response.json()) as { choices?: { message?: object }[] };
  const deltas = (choices ?? []).map(({ message, ...choice }) => ({ ...choice, delta: indexed(message ?? {}) }));
  const body = `data: ${JSON.stringify({ ...rest, choices: deltas })}\n\ndata: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function indexed(message: { readonly tool_calls?: readonly object[] }) {
  const { tool_calls: calls } = message;
  return calls ? { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) } : message;
}
