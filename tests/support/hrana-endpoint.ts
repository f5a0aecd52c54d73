import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { type HranaStream, streamRequest, textsOf } from '#tests/support/hrana-stream';

const pipelineBody = z.object({ baton: z.string().nullish(), requests: z.array(streamRequest) });
type Pipeline = z.infer<typeof pipelineBody>;

/**
 * What goes wrong at a request with this SQL. `request`: the connection breaks before the request has reached the
 * server. `answer`: it breaks after the request has been carried out. `transaction`: the server has rolled the
 * transaction back (it does that to slow ones) while the stream lives on.
 */
export interface Break {
  readonly at: RegExp;
  readonly lose: 'request' | 'answer' | 'transaction';
}

/** A request whose connection broke, and which is still on its way. */
export interface LateRequest {
  /** Resolves once a request has met this fate. */
  readonly lost: Promise<unknown>;
  /** Lets the request reach the server now, or as soon as it has been sent. Resolves when it has been carried out. */
  carryOut(): Promise<void>;
}

type Fault = (Break & { readonly done: () => void }) | LateFault;

interface LateFault {
  readonly at: RegExp;
  readonly lose: 'until later';
  readonly done: (request: SentRequest) => void;
}

interface SentRequest {
  readonly pipeline: Pipeline;
  /** Its connection is broken. */
  readonly response: ServerResponse;
}

export interface EndpointOptions {
  readonly openStream: () => HranaStream;
  readonly authToken: string | undefined;
  readonly streamMs: number;
  readonly delayMs: number;
  readonly onStatement: ((text: string) => void) | undefined;
}

/** Status of an HTTP response other than 200, which ends the stream (Hrana 3, "Hrana over HTTP", Errors). */
class HttpError extends Error {
  readonly status: number;
  readonly body: object | string;

  constructor(status: number, body: object | string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** Bodies below this many bytes are not compressed (tower-http 0.3, `SizeAbove::DEFAULT_MIN_SIZE`). */
const SMALLEST_COMPRESSED = 32;

/** Speaks Hrana over HTTP for one server: authentication, batons, streams and their expiry. */
export class HranaEndpoint {
  readonly #options: EndpointOptions;
  /** Streams by the baton that continues them; one that has expired stays as null. */
  readonly #streams = new Map<string, { readonly stream: HranaStream; readonly expiry: NodeJS.Timeout } | null>();
  /** Streams whose requests are carried out at the moment, with their connections. */
  readonly #busy = new Map<HranaStream, ServerResponse>();
  readonly #faults: Fault[] = [];
  /** Batons of requests that are still on their way. */
  readonly #late = new Set<string>();
  #requests = 0;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** How many pipelines were sent here, including those that were disturbed. */
  get requests(): number {
    return this.#requests;
  }

  get openStreams(): number {
    return this.#busy.size + [...this.#streams.values()].filter((kept) => kept !== null).length;
  }

  /** Answers one HTTP request. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#answer(request, response).catch((error: unknown) => {
      const { status, body } = error instanceof HttpError ? error : new HttpError(400, String(error));
      send(request, response, status, body);
    });
  };

  breakOnce(fault: Break): Promise<void> {
    return new Promise((resolve) => this.#faults.push({ ...fault, done: resolve }));
  }

  loseUntilLater(at: RegExp): LateRequest {
    const sent = Promise.withResolvers<SentRequest>();
    this.#faults.push({ at, lose: 'until later', done: sent.resolve });
    return {
      lost: sent.promise,
      carryOut: async () => {
        const { pipeline, response } = await sent.promise;
        this.#late.delete(pipeline.baton ?? '');
        // If its stream has expired, nothing happens.
        await this.#carryOut(pipeline, response).catch(() => {});
      },
    };
  }

  /** Lets all streams expire now. */
  expireStreams(): void {
    for (const baton of this.#streams.keys()) this.#expire(baton);
  }

  /** Forgets all streams and their transactions, and breaks the connections of running requests. */
  forgetStreams(): void {
    for (const kept of this.#streams.values()) {
      if (!kept) continue;
      clearTimeout(kept.expiry);
      kept.stream.close();
    }
    this.#streams.clear();
    for (const [stream, response] of this.#busy) {
      response.destroy();
      stream.close();
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authToken, delayMs, onStatement } = this.#options;
    const body = await readAll(request);
    if (delayMs > 0) await sleep(delayMs);
    if (authToken !== undefined && request.headers.authorization !== `Bearer ${authToken}`)
      throw new HttpError(401, { error: 'Unauthorized: the token is not known' });
    if (request.method === 'GET' && /^\/v[23]$/.test(request.url ?? '')) return send(request, response, 200, {});
    if (request.method !== 'POST' || !/^\/v[23]\/pipeline$/.test(request.url ?? '')) throw new HttpError(404, {});
    this.#requests += 1;
    const pipeline = pipelineBody.parse(JSON.parse(body));
    const fault = this.#takeFault(pipeline, onStatement);
    // The client ends the stream after a failure, over the same network.
    if (pipeline.baton && this.#late.has(pipeline.baton)) return void response.destroy();
    if (fault?.lose === 'until later') {
      if (pipeline.baton) this.#late.add(pipeline.baton);
      response.destroy();
      return fault.done({ pipeline, response });
    }
    fault?.done();
    if (fault?.lose === 'request') return void response.destroy();
    const isTimedOut = fault?.lose === 'transaction';
    const results = await this.#carryOut(pipeline, response, isTimedOut);
    if (fault?.lose === 'answer') response.destroy();
    else send(request, response, 200, results);
  }

  #takeFault(pipeline: Pipeline, onStatement: ((text: string) => void) | undefined): Fault | undefined {
    if (this.#faults.length === 0 && !onStatement) return undefined;
    const stream = pipeline.baton ? this.#streams.get(pipeline.baton)?.stream : undefined;
    const stored = new Map<number, string>();
    for (const one of pipeline.requests) if (one.type === 'store_sql') stored.set(one.sql_id, one.sql);
    const texts = pipeline.requests.flatMap((one) => textsOf(one, (id) => stored.get(id) ?? stream?.storedText(id)));
    if (onStatement) texts.forEach(onStatement);
    const index = this.#faults.findIndex(({ at }) => texts.some((text) => at.test(text)));
    return index < 0 ? undefined : this.#faults.splice(index, 1)[0];
  }

  /** @param response of the client; its stream ends if the client has disconnected */
  async #carryOut({ baton, requests }: Pipeline, response: ServerResponse, isTimedOut = false): Promise<object> {
    const stream = baton ? this.#resume(baton) : this.#options.openStream();
    if (isTimedOut) stream.rollBackByForce();
    this.#busy.set(stream, response);
    const results: object[] = [];
    // "The server always executes all requests, even if some of them return errors" (Hrana 3, Execute a pipeline).
    for (const one of requests) results.push(await stream.answer(one));
    this.#busy.delete(stream);
    // No client knows the next baton (libsql-server 0.24, `Drop for Guard` in src/hrana/http/stream.rs).
    if (response.destroyed) stream.close();
    return { baton: stream.isOpen ? this.#keep(stream) : null, base_url: null, results };
  }

  /** @throws HttpError as libsql-server 0.24 does (`acquire` in src/hrana/http/stream.rs) */
  #resume(baton: string): HranaStream {
    const kept = this.#streams.get(baton);
    if (kept === undefined) throw new HttpError(400, 'Received an invalid baton');
    if (kept === null)
      throw new HttpError(400, { message: 'The stream has expired due to inactivity', code: 'STREAM_EXPIRED' });
    clearTimeout(kept.expiry);
    this.#streams.delete(baton);
    return kept.stream;
  }

  /** A new baton for each response (Hrana 3, Execute a pipeline). */
  #keep(stream: HranaStream): string {
    const baton = randomUUID();
    const expiry = setTimeout(() => this.#expire(baton), this.#options.streamMs).unref();
    this.#streams.set(baton, { stream, expiry });
    return baton;
  }

  #expire(baton: string): void {
    const kept = this.#streams.get(baton);
    if (!kept) return;
    clearTimeout(kept.expiry);
    kept.stream.close();
    this.#streams.set(baton, null);
  }
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: object | string): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const plain = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const isCompressed = plain.length >= SMALLEST_COMPRESSED && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  response
    .writeHead(status, { 'content-type': type, ...(isCompressed && { 'content-encoding': 'gzip' }) })
    .end(isCompressed ? gzipSync(plain) : plain);
}
