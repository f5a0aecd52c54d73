import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type HranaStream, openHranaStream, type StreamRequest, streamRequest } from '#tests/support/hrana-stream';
import { startLoopback } from '#tests/support/loopback-server';

const pipelineBody = z.object({ baton: z.string().nullish(), requests: z.array(streamRequest) });

export interface LibsqlServerOptions {
  /** Default: anybody may come in. */
  readonly authToken?: string;
  /** How long a stream, and the lock of its transaction, lives on without a request; milliseconds. Default 10,000. */
  readonly streamMs?: number;
  /** Called with each statement. */
  readonly onStatement?: (text: string) => void;
  /** A database file to begin with; it is copied. Default: an empty database. */
  readonly copyOf?: string;
}

/**
 * What goes wrong at a request with this SQL: the connection breaks before or after it has been carried out, or the
 * server has taken the transaction back (it does that to slow ones) while the stream lives on.
 */
export interface Break {
  readonly at: RegExp;
  readonly lose: 'request' | 'answer' | 'transaction';
}

/** A database server in this process, on the loopback address. */
export interface LibsqlServer extends AsyncDisposable {
  /** For DATABASE_URL. */
  readonly url: string;
  /** Disturbs the next request that fits; resolves once that has happened. */
  breakOnce(fault: Break): Promise<void>;
  /** Lets all streams expire now. */
  expireStreams(): void;
  /** Forgets all streams and their transactions, as a restart would. */
  forgetStreams(): void;
  readonly openStreams: number;
  /** How many statements were refused with SQLITE_BUSY. */
  readonly refusals: number;
  close(): Promise<void>;
}

/**
 * Speaks libSQL's Hrana protocol over HTTP (JSON, versions 2 and 3, without cursors) over an embedded database, as
 * its server does it: batons that change with every request and expire, and one write transaction at a time.
 */
export async function startLibsqlServer(options: LibsqlServerOptions = {}): Promise<LibsqlServer> {
  const { authToken, streamMs = 10_000, copyOf, onStatement } = options;
  const folder = mkdtempSync(join(tmpdir(), 'throughline-libsql-'));
  const file = join(folder, 'shared.db');
  if (copyOf !== undefined) copyFileSync(copyOf, file);
  const first = new DatabaseSync(file);
  first.exec('pragma journal_mode = wal');

  /** Streams by the baton that continues them; one that has expired stays as null. */
  const streams = new Map<string, { readonly stream: HranaStream; readonly expiry: NodeJS.Timeout } | null>();
  const breaks: (Break & { readonly done: () => void })[] = [];
  let refusals = 0;

  function resume(baton: string): HranaStream | null | undefined {
    const kept = streams.get(baton);
    if (!kept) return kept;
    clearTimeout(kept.expiry);
    streams.delete(baton);
    return kept.stream;
  }

  function keep(stream: HranaStream): string {
    const baton = randomUUID();
    streams.set(baton, { stream, expiry: setTimeout(() => expire(baton), streamMs).unref() });
    return baton;
  }

  function expire(baton: string): void {
    const kept = streams.get(baton);
    if (!kept) return;
    clearTimeout(kept.expiry);
    kept.stream.close();
    streams.set(baton, null);
  }

  function takeBreak(texts: readonly string[]): Break | undefined {
    const index = breaks.findIndex(({ at }) => texts.some((text) => at.test(text)));
    const [found] = index < 0 ? [] : breaks.splice(index, 1);
    found?.done();
    return found;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (authToken !== undefined && request.headers.authorization !== `Bearer ${authToken}`) {
      return send(response, 401, { error: 'Unauthorized: the token is not known' });
    }
    if (request.method === 'GET' && /^\/v[23]$/.test(request.url ?? '')) return send(response, 200, {});
    if (request.method !== 'POST' || !/^\/v[23]\/pipeline$/.test(request.url ?? '')) return send(response, 404, {});
    const { baton, requests } = pipelineBody.parse(JSON.parse(await readAll(request)));

    const stream = baton ? resume(baton) : openHranaStream(file);
    if (stream === undefined) return sendText(response, 400, 'Received an invalid baton');
    if (stream === null) {
      const error = { message: 'The stream has expired due to inactivity', code: 'STREAM_EXPIRED' };
      return send(response, 500, error);
    }
    // A stored text may be used in the very request that stores it.
    for (const one of requests) if (one.type === 'store_sql') stream.answer(one);
    const texts = requests.flatMap((one) => stream.textsOf(one));
    if (onStatement) texts.forEach(onStatement);
    const fault = takeBreak(texts);
    if (fault?.lose === 'transaction') stream.answer({ type: 'sequence', sql: 'rollback' });
    const results = requests.map((one) =>
      fault && fault.lose !== 'answer' ? timeOut(stream, one) : stream.answer(one),
    );
    refusals += JSON.stringify(results).split('SQLITE_BUSY').length - 1;
    const next = stream.isOpen ? keep(stream) : null;
    if (fault && fault.lose !== 'transaction') response.destroy();
    else send(response, 200, { baton: next, base_url: null, results });
  }

  const server = await startLoopback((request, response) => {
    handle(request, response).catch((error: unknown) => sendText(response, 400, String(error)));
  });

  const expireStreams = () => {
    for (const baton of streams.keys()) expire(baton);
  };
  const forgetStreams = () => {
    for (const kept of streams.values()) {
      if (!kept) continue;
      clearTimeout(kept.expiry);
      kept.stream.close();
    }
    streams.clear();
  };
  const close = async () => {
    await server.close();
    forgetStreams();
    first.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: server.url,
    breakOnce: (fault) => new Promise((resolve) => breaks.push({ ...fault, done: resolve })),
    expireStreams,
    forgetStreams,
    get openStreams() {
      return [...streams.values()].filter((kept) => kept !== null).length;
    },
    get refusals() {
      return refusals;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** As a server answers to statements of a transaction that it has aborted. */
function timeOut(stream: HranaStream, request: StreamRequest): object {
  if (stream.textsOf(request).length === 0) return stream.answer(request);
  return { type: 'error', error: { message: 'Transaction timed out', code: 'TRANSACTION_TIMEOUT' } };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
