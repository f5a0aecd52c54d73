import { type InValue, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { ClientError, openHttp, parseLibsqlUrl, ResponseError, Stmt, type Stream } from '@libsql/hrana-client';

/**
 * How long a stream without requests is used again; milliseconds. A libSQL server ends an idle stream after 10 s; half of
 * that leaves room for a slow request.
 */
const KEPT_MS = 5_000;

/** The server, and how requests reach it. */
export interface HranaServer {
  /** `libsql://`, `https://` or `http://`. */
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Streams (connections over HTTP) of a libSQL server that are kept between requests: opening one costs the server more
 * than a statement does. An idle stream must not have an open transaction.
 */
export class HranaStreams {
  readonly #server: HranaServer;
  /** The most recently used last. */
  #idle: { readonly stream: Stream; readonly since: number }[] = [];
  #isClosed = false;

  constructor(server: HranaServer) {
    this.#server = server;
  }

  /** A stream for the caller alone, until `release`. */
  take(): Stream {
    if (this.#isClosed) throw new Error('The database is closed.');
    const kept = this.#idle.pop();
    if (kept && performance.now() - kept.since < KEPT_MS) return kept.stream;
    // The others have been idle for even longer. The server has ended them, or will.
    this.#idle = [];
    return this.#open();
  }

  /** Keeps a stream for the next caller, unless a failed request has closed it; closes it after `close`. */
  release(stream: Stream): void {
    if (this.#isClosed) stream.closeGracefully();
    else if (!stream.closed) this.#idle.push({ stream, since: performance.now() });
  }

  /** Closes the idle streams. Never throws: the server ends a stream that is not closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle;
    this.#idle = [];
    const closing = idle.map(({ stream }) => {
      // Sent together with the end of the stream, which has no result of its own to wait for.
      const last = stream.run('select 1');
      stream.closeGracefully();
      return last;
    });
    await Promise.allSettled(closing);
  }

  /** Each stream has its own client: a client would hold on to streams that are not used any more. */
  #open(): Stream {
    const { url, authToken, fetch } = this.#server;
    const parsed = parseLibsqlUrl(url);
    // Declared without the parameter that it passes.
    const send = fetch as unknown as () => unknown;
    return openHttp(parsed.hranaHttpUrl ?? url, authToken ?? parsed.authToken, send).openStream();
  }
}

/** A statement as Hrana sends it. Its values are given by position. */
export function hranaStatement(statement: InStatement): Stmt {
  if (typeof statement === 'string') return new Stmt(statement);
  return new Stmt(statement.sql).bindIndexes((statement.args ?? []) as InValue[]);
}

/** Result of a statement, as Hrana returns it. */
interface HranaRows {
  readonly columnNames: readonly (string | undefined)[];
  readonly columnDecltypes: readonly (string | undefined)[];
  readonly rows: ResultSet['rows'];
  readonly affectedRowCount: number;
}

/** The result in the form of `@libsql/client`. */
export function resultFromHrana({ columnNames, columnDecltypes, rows, affectedRowCount }: HranaRows): ResultSet {
  const columns = columnNames.map((name) => name ?? '');
  const columnTypes = columnDecltypes.map((type) => type ?? '');
  return {
    columns,
    columnTypes,
    rows,
    rowsAffected: affectedRowCount,
    lastInsertRowid: undefined,
    toJSON: () => ({ columns, columnTypes, rows: rows.map((row) => Array.from(row)), rowsAffected: affectedRowCount }),
  };
}

/** The error in the form of `@libsql/client`, with the code of SQLite or the server. */
export function errorFromHrana(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const code = error instanceof ResponseError ? error.code : undefined;
  return new LibsqlError(error.message, code ?? 'UNKNOWN', undefined, undefined, error);
}
