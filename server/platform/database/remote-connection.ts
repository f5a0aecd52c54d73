import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { Mutex } from 'async-mutex';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { StoreBusyError, StoreUncertainError } from '#server/core/errors';

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

interface RemoteConnectionOptions {
  /** `libsql://`, `https://` or `http://`. */
  readonly url: string;
  readonly authToken?: string | undefined;
  /** Called for every failure that will be retried. */
  readonly onBusy?: (() => void) | undefined;
  /** Maximum wait before an operation gives up; milliseconds. Default 30,000. */
  readonly patienceMs?: number | undefined;
}

/** Runs SQL statements, one at a time: a connection, or a transaction. */
export interface StatementExecutor {
  execute(statement: InStatement): Promise<ResultSet>;
}

/** A connection to a database server that several processes share, over HTTP. */
export interface RemoteConnection extends StatementExecutor {
  /**
   * Migrates the schema with `apply`; called before anything else.
   * @param apply runs again from its beginning after a temporary failure
   * @throws Error with a readable message if the server does not answer within 10 s, or refuses access
   */
  prepare<T>(apply: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction, alone, and commits it exactly once, even if the response to the commit is
   * lost. If the server is busy or unreachable, it runs again from its beginning. It waits at most 30 s, for its turn
   * and for the server together: then StoreBusyError. If the response to a commit was lost, it queries the receipt for
   * 5 more seconds: then StoreUncertainError.
   * @param startedAt start of the 30 s; milliseconds of `performance.now()`
   */
  transact<T>(work: (executor: StatementExecutor) => Promise<T>, startedAt: number): Promise<T>;
  /** Closes the connection after the running transaction. */
  close(): Promise<void>;
}

const CREATE_RECEIPTS =
  'create table if not exists write_receipts (writer text primary key, number integer not null, at integer not null)';

/**
 * Opens a connection whose transactions are committed exactly once. Each transaction writes its number, the receipt, into
 * this process's row of `write_receipts`. If the connection breaks during a commit, its outcome is unknown; the row
 * reveals it as soon as this process has the write lock again.
 */
export function openRemoteConnection(options: RemoteConnectionOptions): RemoteConnection {
  const { url, authToken, onBusy, patienceMs = DEADLINE_MS } = options;
  const open = () => createClient({ url, fetch: fetchWithLimit, ...(authToken !== undefined && { authToken }) });
  const reader = open();
  const writer = open();
  const lock = new Mutex();
  const owner = randomUUID();
  let transactions = 0;

  async function retrying<T>(
    operation: () => Promise<T>,
    { startedAt = performance.now(), deadlineMs = patienceMs } = {},
  ): Promise<T> {
    const requireTime = (cause?: unknown) => {
      const waitedMs = Math.round(performance.now() - startedAt);
      if (waitedMs >= deadlineMs) throw new StoreBusyError(waitedMs, cause);
    };
    requireTime();
    for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)) {
      try {
        return await operation();
      } catch (error) {
        if (!isTemporary(error)) throw error;
        requireTime(error);
        onBusy?.();
        await sleep(backoff * (0.5 + Math.random() / 2));
      }
    }
  }

  function receiptOf(number: number): InStatement {
    const sql =
      'insert into write_receipts values (?, ?, ?) on conflict do update set number = excluded.number, at = excluded.at';
    return { sql, args: [owner, number, Date.now()] };
  }

  /**
   * True if that transaction was committed. Queried under the write lock, so that the transaction cannot still be in
   * progress.
   */
  async function wasCommitted(number: number): Promise<boolean> {
    const sql = 'select 1 from write_receipts where writer = ? and number = ?';
    const [found] = await writer.batch([{ sql, args: [owner, number] }], 'write');
    return found !== undefined && found.rows.length > 0;
  }

  async function commitOnce<T>(work: (executor: StatementExecutor) => Promise<T>, startedAt: number): Promise<T> {
    let unsure: { readonly number: number; readonly result: T } | null = null;
    const committing = retrying(
      async () => {
        if (unsure && (await wasCommitted(unsure.number))) return unsure.result;
        unsure = null;
        const number = ++transactions;
        const transaction = await writer.transaction('write');
        const statements = refusingAfterFault({
          // The receipt is sent with the first statement, in one request.
          first: async (statement) => lastOf(await transaction.batch([receiptOf(number), statement])),
          next: (statement) => transaction.execute(statement),
        });
        try {
          const result = await work(statements);
          statements.requireNoFault();
          unsure = { number, result };
          await transaction.commit();
          return result;
        } catch (error) {
          // Awaited, so that our next attempt does not meet this one's lock.
          await transaction.rollback().catch(() => {});
          throw error;
        } finally {
          transaction.close();
        }
      },
      { startedAt },
    );
    return committing.catch(async (error: unknown) => {
      if (!unsure || !(error instanceof StoreBusyError)) throw error;
      const { number } = unsure;
      const asking = retrying(() => wasCommitted(number), { deadlineMs: UNSURE_MS });
      const isCommitted = await asking.catch((cause: unknown) => {
        throw new StoreUncertainError(cause);
      });
      if (isCommitted) return unsure.result;
      throw error;
    });
  }

  return {
    execute: (statement) => retrying(() => reader.execute(statement)),
    prepare: async (apply) => {
      const prepare = async () => {
        const result = await apply(writer);
        await writer.batch(
          [
            CREATE_RECEIPTS,
            { sql: 'delete from write_receipts where at < ?', args: [Date.now() - RECEIPT_MAX_AGE_MS] },
          ],
          'write',
        );
        return result;
      };
      return retrying(prepare, { deadlineMs: OPENING_MS }).catch((error: unknown) => {
        throw explained(error, url);
      });
    },
    transact: (work, startedAt) => lock.runExclusive(() => commitOnce(work, startedAt)),
    close: () =>
      lock.runExclusive(() => {
        reader.close();
        writer.close();
      }),
  };
}

type Execute = (statement: InStatement) => Promise<ResultSet>;

/**
 * The server may have abandoned the transaction at a temporary fault (it was busy, timed out, or restarted), and would
 * run later statements outside of it: after a fault every statement fails, and so does the commit.
 */
function refusingAfterFault({ first, next }: { readonly first: Execute; readonly next: Execute }) {
  let isBegun = false;
  let fault: Error | undefined;

  const requireNoFault = () => {
    if (fault !== undefined) throw fault;
  };
  const execute: Execute = async (statement) => {
    requireNoFault();
    const run = isBegun ? next : first;
    isBegun = true;
    try {
      return await run(statement);
    } catch (error) {
      if (isTemporary(error)) fault = error;
      throw error;
    }
  };
  return { execute, requireNoFault };
}

function lastOf(results: readonly ResultSet[]): ResultSet {
  const result = results.at(-1);
  if (!result) throw new Error('The database server gave no result.');
  return result;
}

/**
 * Codes of temporary failures: the server does not answer, or the lock is taken. The operation did not happen, or (for a
 * commit) its outcome can be looked up.
 */
const TEMPORARY_CODES =
  /^(SQLITE_(BUSY|LOCKED|PROTOCOL)|TRANSACTION_(BUSY|TIMEOUT|CLOSED)|STREAM_EXPIRED|HRANA_CLOSED_ERROR)/;
/** HTTP statuses of temporary failures. */
const TEMPORARY_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True if the same operation may succeed a little later; also if drizzle has wrapped the error. */
function isTemporary(error: unknown): error is Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LibsqlError && TEMPORARY_CODES.test(cause.code)) return true;
    // A restarted server does not know the batons of the old one.
    if ('status' in cause && (TEMPORARY_STATUSES.has(Number(cause.status)) || /baton/i.test(cause.message)))
      return true;
    if (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.message === 'fetch failed')) return true;
    // The connection broke during the response.
    if (cause instanceof TypeError && cause.message === 'terminated') return true;
  }
  return false;
}

/** Converts an error of opening a database to one that says what to do. */
function explained(error: unknown, url: string): unknown {
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (error instanceof StoreBusyError)
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
