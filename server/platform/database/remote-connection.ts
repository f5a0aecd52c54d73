import { databaseBusy, databaseUncertain } from '#server/core/messages/coded-errors';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client, type InStatement } from '@libsql/client';
import { Mutex } from 'async-mutex';
import { HranaStreams } from '#server/platform/database/hrana-streams';
import { RemoteReads } from '#server/platform/database/remote-reads';
import { RemoteTransaction } from '#server/platform/database/remote-transaction';
import type { StoreObserver } from '#server/platform/database/store-observer';
import type { StatementExecutor, TransactionExecutor } from '#server/platform/database/transaction-executor';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { StoreBusyError } from '#server/core/errors';

/** Timeout of a request to the server; milliseconds. */
const REQUEST_MS = 20_000;
/**
 * Maximum wait of an operation, including the wait for other operations of this process; milliseconds. Longer than a
 * server keeps the lock of a client whose connection was lost.
 */
const DEADLINE_MS = 30_000;
/** The same while the database is being opened: its address may be mistyped. */
const OPENING_MS = 10_000;
/** Additional time after the deadline of a write, for finding out whether its commit succeeded; milliseconds. */
const UNSURE_MS = 5_000;
/** The pause between two attempts doubles from the first to the longest, each multiplied by 0.5 to 1 at random. */
const FIRST_BACKOFF_MS = 20;
const LONGEST_BACKOFF_MS = 500;
/** Age at which receipts are deleted: their processes have ended long ago. Milliseconds. */
const RECEIPT_MAX_AGE_MS = 86_400_000;

/** Where a database server is, and what admits to it. */
export interface ServerAddress {
  /** `libsql://`, `https://` or `http://`. */
  readonly url: string;
  readonly authToken?: string | undefined;
}

interface RemoteConnectionOptions extends ServerAddress {
  readonly observer?: StoreObserver | undefined;
  /** Maximum wait before an operation gives up; milliseconds. Default 30,000. */
  readonly patienceMs?: number | undefined;
}

/** A connection to a database server that several processes share, over HTTP. */
export interface RemoteConnection extends StatementExecutor {
  /**
   * Migrates the schema with `apply`; called before anything else.
   * @param apply runs again from its beginning after a temporary failure
   * @throws Error with a readable message if the server does not answer within 10 s, refuses access, or does not speak
   * TLS where the address demands it
   */
  prepare<T>(apply: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction, alone, and commits it exactly once, even if the response to the commit is
   * lost. If the server is busy or unreachable, it runs again from its beginning. It waits at most 30 s, for its turn
   * and for the server together: then StoreBusyError. If the response to a commit was lost, it queries the receipt for
   * 5 more seconds: then StoreUncertainError.
   * @param startedAt start of the 30 s; milliseconds of `performance.now()`
   */
  transact<T>(work: (executor: TransactionExecutor) => Promise<T>, startedAt: number): Promise<T>;
  /** Closes the connection after the running transaction. */
  close(): Promise<void>;
}

const CREATE_RECEIPTS =
  'create table if not exists write_receipts (writer text primary key, number integer not null, at integer not null)';

/** Follows the process in `writer` of the row that holds the number of the transaction that it asked about last. */
const ASKED = ' asked';

/** Creates the table of receipts where it is missing, and deletes old ones. */
export async function createReceipts(client: Client): Promise<void> {
  const deleteOld = {
    sql: 'delete from write_receipts where at < ?',
    args: [Date.now() - RECEIPT_MAX_AGE_MS],
  };
  await client.batch([CREATE_RECEIPTS, deleteOld], 'write');
}

/** A replica has not yet received what was written on its primary. Temporary. */
export class ReplicaBehindError extends Error {
  constructor() {
    super('The replica has not received the tables of its primary.');
  }
}

/**
 * Opens a connection whose transactions are committed exactly once. Each transaction writes its number, the receipt, into
 * this process's row of `write_receipts`. If the connection breaks during a commit, its outcome is unknown; the row
 * reveals it as soon as this process has the write lock again. Asking for a receipt is stored, too: a transaction with
 * that number or a lower one can no longer begin, in case its request was delayed and not lost.
 */
export function openRemoteConnection(options: RemoteConnectionOptions): RemoteConnection {
  const { url, authToken, observer, patienceMs = DEADLINE_MS } = options;
  const streams = new HranaStreams({ url, authToken, fetch: fetchWithLimit });
  const reads = new RemoteReads(streams);
  const lock = new Mutex();
  const owner = randomUUID();
  let transactions = 0;

  async function retrying<T>(
    operation: () => Promise<T>,
    { startedAt = performance.now(), deadlineMs = patienceMs, mayRetry = (_error: unknown): boolean => true } = {},
  ): Promise<T> {
    const requireTime = (cause?: unknown) => {
      const waitedMs = Math.round(performance.now() - startedAt);
      if (waitedMs >= deadlineMs) throw databaseBusy(waitedMs, cause);
    };
    requireTime();
    for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)) {
      try {
        return await operation();
      } catch (error) {
        if (!isTemporary(error) || !mayRetry(error)) throw error;
        requireTime(error);
        observer?.onBusy?.();
        await sleep(backoff * (0.5 + Math.random() / 2));
      }
    }
  }

  /** Stores the number of a transaction. Fails (NOT NULL) for one that is not above those stored and asked about. */
  function receiptOf(number: number): InStatement {
    const sql = `insert into write_receipts
      select ?, case when ? > coalesce((select max(number) from write_receipts where writer in (?, ?)), 0) then ? end, ?
      where true on conflict do update set number = excluded.number, at = excluded.at`;
    return { sql, args: [owner, number, owner, owner + ASKED, number, Date.now()] };
  }

  /**
   * Runs one transaction, once.
   * @param first its first statement
   * @param onUnsure called with the result if the outcome of the commit is unknown
   */
  async function runOnce<T>(
    first: InStatement,
    work: (executor: TransactionExecutor) => Promise<T>,
    onUnsure?: (result: T) => void,
  ): Promise<T> {
    const stream = streams.take();
    const transaction = new RemoteTransaction(stream, first);
    try {
      const result = await work(transaction);
      await transaction.commit().catch((error: unknown) => {
        if (transaction.isUnsure) onUnsure?.(result);
        throw error;
      });
      return result;
    } finally {
      // Awaited, so that our next attempt does not meet this one's lock.
      await transaction.rollback();
      if (transaction.isOver) streams.release(stream);
      else stream.close();
    }
  }

  /**
   * True if that transaction was committed. Queried under the write lock, so that the transaction cannot still be in
   * progress; afterwards it cannot begin any more.
   */
  function wasCommitted(number: number): Promise<boolean> {
    const sql =
      'insert into write_receipts values (?, ?, ?) on conflict do update set number = max(number, excluded.number), at = excluded.at';
    return runOnce({ sql, args: [owner + ASKED, number, Date.now()] }, async (transaction) => {
      const written = 'select 1 from write_receipts where writer = ? and number = ?';
      const { rows } = await transaction.execute({ sql: written, args: [owner, number] });
      return rows.length > 0;
    });
  }

  async function commitOnce<T>(work: (executor: TransactionExecutor) => Promise<T>, startedAt: number): Promise<T> {
    let unsure: { readonly number: number; readonly result: T } | null = null;
    const committing = retrying(
      async () => {
        if (unsure && (await wasCommitted(unsure.number))) return unsure.result;
        unsure = null;
        const number = ++transactions;
        return runOnce(receiptOf(number), work, (result) => (unsure = { number, result }));
      },
      { startedAt },
    );
    return committing.catch(async (error: unknown) => {
      if (!unsure || !(error instanceof StoreBusyError)) throw error;
      const { number, result } = unsure;
      const asking = retrying(() => wasCommitted(number), { deadlineMs: UNSURE_MS });
      const isCommitted = await asking.catch((cause: unknown) => {
        throw databaseUncertain(cause);
      });
      if (isCommitted) return result;
      throw error;
    });
  }

  return {
    execute: (statement) => retrying(() => reads.execute(statement)),
    prepare: async (apply) => {
      const client = createServerClient(options);
      try {
        return await retrying(() => apply(client), {
          deadlineMs: OPENING_MS,
          mayRetry: (error) => !isWithoutTls(error),
        });
      } catch (error) {
        throw explainServerError(error, url);
      } finally {
        client.close();
      }
    },
    transact: (work, startedAt) => lock.runExclusive(() => commitOnce(work, startedAt)),
    close: () => lock.runExclusive(() => streams.close()),
  };
}

/**
 * Codes of temporary failures: the server does not answer, or the lock is taken. The operation did not happen, or (for a
 * commit) its outcome can be looked up.
 */
const TEMPORARY_CODES = /^(SQLITE_(BUSY|LOCKED|PROTOCOL)|TRANSACTION_(BUSY|TIMEOUT|CLOSED)|STREAM_EXPIRED)/;
/** HTTP statuses of temporary failures. */
const TEMPORARY_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True if the same operation may succeed a little later; also if drizzle has wrapped the error. */
export function isTemporary(error: unknown): error is Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ReplicaBehindError) return true;
    if ('code' in cause && TEMPORARY_CODES.test(String(cause.code))) return true;
    // A restarted server does not know the batons of the old one.
    if ('status' in cause && (TEMPORARY_STATUSES.has(Number(cause.status)) || /baton/i.test(cause.message)))
      return true;
    if (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.message === 'fetch failed')) return true;
    // The connection broke during the response.
    if (cause instanceof TypeError && cause.message === 'terminated') return true;
  }
  return false;
}

/** Codes of OpenSSL's errors, in Node.js 24, when the server answers in plain HTTP. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE)$/;
/**
 * The same in the text of EPROTO: `…:SSL routines:…:wrong version number:…`. The alerts of a server that speaks TLS have
 * this code, too: `…:sslv3 alert handshake failure:…`.
 */
const NO_TLS_REASON = /:(wrong version number|packet length too long|unexpected message):/;

/** True if the address demands TLS, and the server does not speak it. */
function isWithoutTls(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!('code' in cause)) continue;
    const code = String(cause.code);
    if (NO_TLS.test(code) || (code === 'EPROTO' && NO_TLS_REASON.test(cause.message))) return true;
  }
  return false;
}

/** True if the connection was closed while TLS began: the server does not speak it, or it was just starting. */
function isClosedInHandshake(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes('before secure TLS connection was established')) return true;
  }
  return false;
}

/** Converts an error of a database server to one that says what to do. */
export function explainServerError(error: unknown, url: string): unknown {
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (isWithoutTls(error) || isClosedInHandshake(error)) {
    return new Error(
      `The database server ${host} does not speak TLS, which ${url.split('//')[0]}// demands. If the network to it is private, set DATABASE_URL to http://${host} or libsql://${host}?tls=0.`,
      { cause: error },
    );
  }
  if (error instanceof StoreBusyError && error.cause instanceof ReplicaBehindError) {
    const message = `The database server ${host} is a replica that is behind its primary. Name the primary in DATABASE_URL.`;
    return new Error(message, { cause: error });
  }
  if (error instanceof StoreBusyError || isTemporary(error))
    return new Error(`The database server ${host} does not answer.`, { cause: error });
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('status' in cause && (cause.status === 401 || cause.status === 403)) {
      return new Error(`The database server ${host} does not accept DATABASE_AUTH_TOKEN.`, { cause: error });
    }
  }
  return error;
}

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });
const fetchWithLimit = (request: Request) => fetchConfigured(request, { signal: AbortSignal.timeout(REQUEST_MS) });

/** Creates a client of a database server. @param intMode type of integers in its results; default: numbers */
export function createServerClient({ url, authToken }: ServerAddress, intMode: 'number' | 'bigint' = 'number'): Client {
  return createClient({ url, intMode, fetch: fetchWithLimit, ...(authToken !== undefined && { authToken }) });
}
