import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoopback } from '#tests/support/loopback-server';
import { answerText, completionBody, streamErrorEvent, streamEvents } from '#tests/support/openrouter-wire';
import type { ChatRequestBody, FakeAnswer, StreamEvent, WireError } from '#tests/support/openrouter-wire';
import { createRequestLog } from '#tests/support/request-log';
import type { OpenRecord, ParsedRequest, RecordedRequest } from '#tests/support/request-log';

/** How the server behaves for one request. */
export type FakeResponse =
  | FakeAnswer
  /** An HTTP error; with status 200 OpenRouter's "200 with a JSON error". */
  | { readonly error: WireError & { readonly status: number; readonly headers?: Record<string, string> } }
  /** The stream begins, says `afterText`, and then carries an error. */
  | { readonly errorInStream: WireError; readonly afterText?: string }
  /** The stream begins, says this text, and the connection breaks. */
  | { readonly dropConnectionAfter: string; readonly chunkDelayMs?: number }
  /** The stream begins, says these pieces, and goes silent; the connection stays open. */
  | { readonly silentAfter: readonly string[]; readonly chunkDelayMs?: number }
  /** The server takes the request and never answers. */
  | { readonly hang: true };

export interface FakeOpenRouter extends AsyncDisposable {
  /** For OPENROUTER_BASE_URL. */
  readonly baseUrl: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Resolves with the first request that fits, immediately if it was there already. The predicate runs again whenever
   * something arrives, is sent or ends, so it may look at `sentText` and `state` too.
   * @throws when none fits within `timeoutMs` (default 60,000)
   */
  waitForRequest(predicate?: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
  /** Resolves with the first request whose text sent so far fits. */
  waitForText(predicate: (sent: string) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
  /** The same server for the next test: another script, and no requests so far. What was asked before keeps its script. */
  begin(respond: FakeOpenRouterOptions['respond']): FakeOpenRouter;
  /** Breaks open connections and stops listening. */
  close(): Promise<void>;
}

export interface FakeOpenRouterOptions {
  /** Decides what each request gets; `index` counts requests from 0. */
  readonly respond: (request: ParsedRequest, index: number) => FakeResponse | Promise<FakeResponse>;
}

const CHAT_PATH = '/api/v1/chat/completions';

/**
 * A real HTTP server on the loopback interface that speaks OpenRouter's wire format for POST /chat/completions,
 * streaming and not. What it says is scripted by `respond`.
 */
export async function startFakeOpenRouter(options: FakeOpenRouterOptions): Promise<FakeOpenRouter> {
  let script = { respond: options.respond, log: createRequestLog() };

  const { url, close } = await startLoopback((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      // A script that throws is a bug of the test: the client sees it as a 500 that quotes it.
      if (!outgoing.headersSent) sendJson(outgoing, 500, { error: { code: 500, message: `fake: ${String(error)}` } });
      else outgoing.destroy();
    });
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method !== 'POST' || incoming.url !== CHAT_PATH) {
      return sendJson(outgoing, 404, { error: { code: 404, message: `fake: no route ${incoming.url}` } });
    }
    const { respond, log } = script;
    const record = log.add(await receive(incoming));
    const closed = new AbortController();
    outgoing.on('close', () => {
      if (record.state === 'open') record.state = outgoing.writableFinished ? 'finished' : 'client-closed';
      closed.abort();
      log.changed();
    });
    const response = await respond(record, record.index);
    if (!closed.signal.aborted) await send({ record, outgoing, closed: closed.signal, changed: log.changed }, response);
  }

  const begin = (respond: FakeOpenRouterOptions['respond']): FakeOpenRouter => {
    const log = createRequestLog();
    script = { respond, log };
    return {
      baseUrl: `${url}/api/v1`,
      requests: log.requests,
      waitForRequest: log.waitFor,
      waitForText: (predicate, timeoutMs) => log.waitFor((request) => predicate(request.sentText), timeoutMs),
      begin,
      close,
      [Symbol.asyncDispose]: close,
    };
  };
  return begin(options.respond);
}

/**
 * OpenRouter's answer to a request above the window.
 * @param limit tokens of the window
 * @param requested tokens of the request, output included
 */
export function contextOverflowResponse(limit: number, requested: number): FakeResponse {
  const message =
    `This endpoint's maximum context length is ${limit} tokens. However, you requested about ${requested} tokens. ` +
    'Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.';
  return { error: { status: 400, code: 400, message } };
}

async function receive(incoming: IncomingMessage): Promise<ParsedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as ChatRequestBody;
  return {
    body,
    messages: body.messages,
    tools: body.tools ?? [],
    stream: body.stream === true,
    headers: incoming.headers,
  };
}

interface Exchange {
  readonly record: OpenRecord;
  readonly outgoing: ServerResponse;
  /** Aborts when the connection is gone. */
  readonly closed: AbortSignal;
  readonly changed: () => void;
}

async function send(exchange: Exchange, response: FakeResponse): Promise<void> {
  const { record, outgoing } = exchange;
  const { body } = record;
  if ('hang' in response) return;
  if ('error' in response) {
    const { status, headers, ...error } = response.error;
    return sendJson(outgoing, status, { error: { code: status, ...error } }, headers);
  }
  if ('errorInStream' in response) {
    const events = streamEvents(body, { text: response.afterText ?? '', usage: null }).slice(0, -1);
    await sendEvents(exchange, [...events, streamErrorEvent(body, response.errorInStream)], 0);
    return endStream(exchange);
  }
  if ('dropConnectionAfter' in response) {
    const events = streamEvents(body, { text: response.dropConnectionAfter, usage: null }).slice(0, -1);
    await sendEvents(exchange, events, response.chunkDelayMs ?? 0);
    record.state = 'dropped';
    outgoing.destroy();
    return;
  }
  if ('silentAfter' in response) {
    const events = streamEvents(body, { chunks: response.silentAfter, usage: null }).slice(0, -1);
    return sendEvents(exchange, events, response.chunkDelayMs ?? 0);
  }
  if (!record.stream) {
    note(exchange, answerText(response));
    return sendJson(outgoing, 200, completionBody(body, response));
  }
  await sendEvents(exchange, streamEvents(body, response), response.chunkDelayMs ?? 0);
  if (response.staysOpen) outgoing.write('data: [DONE]\n\n');
  else endStream(exchange);
}

async function sendEvents(exchange: Exchange, events: readonly StreamEvent[], chunkDelayMs: number): Promise<void> {
  const { outgoing, closed } = exchange;
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  outgoing.write(': OPENROUTER PROCESSING\n\n');
  for (const { data, text, after } of events) {
    await after;
    if (chunkDelayMs > 0) await delay(chunkDelayMs, undefined, { signal: closed }).catch(() => undefined);
    if (closed.aborted) return;
    // Waiting for the write makes "sent" mean handed to the connection, and a dropped one drop after its last chunk.
    await new Promise((resolve) => outgoing.write(`data: ${JSON.stringify(data)}\n\n`, resolve));
    note(exchange, text);
  }
}

function endStream({ outgoing, closed }: Exchange): void {
  if (!closed.aborted) outgoing.end('data: [DONE]\n\n');
}

function note({ record, changed }: Exchange, text: string): void {
  if (text === '') return;
  record.sent.push({ at: Date.now(), text });
  record.sentText += text;
  changed();
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(body));
}
