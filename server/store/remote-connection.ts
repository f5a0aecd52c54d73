import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { Mutex } from 'async-mutex';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';
import { StoreBusyError, StoreUncertainError } from '#server/core/errors';

/** A request to the server without an answer is given up after this; milliseconds. */
const REQUEST_MS = 20_000;
/**
 * Longest wait before an operation gives up, behind others of this process too; longer than a server keeps the lock of
 * a client that it has lost. Milliseconds.
 */
const DEADLINE_MS = 30_000;
/** The same while the database is being opened: somebody may have mistyped its address. */
const OPENING_MS = 10_000;
/** Time for asking, once that of a write is over, whether its commit took place; milliseconds. */
const UNSURE_MS = 5_000;
const FIRST_BACKOFF_MS = 20;
const LONGEST_BACKOFF_MS = 500;
/** Receipts of processes that have long ended are removed after this; milliseconds. */
const RECEIPT_MS = 86_400_000;

export interface RemoteConnectionOptions {
  /** `libsql://`, `https://` or `http://`. */
  readonly url: string;
  readonly authToken?: string | undefined;
  /** Called for every failure that is going to be retried. */
  readonly onBusy?: (() => void) | undefined;
  /** Longest wait before an operation gives up; milliseconds. Default 30,000. */
  readonly patienceMs?: number | undefined;
}

/** Sends statements to the server, one at a time. */
export interface StatementExecutor {
  execute(statement: InStatement): Promise<ResultSet>;
}

/** A database server that several processes share, over HTTP. */
export interface RemoteConnection extends StatementExecutor {
  /**
   * Brings the schema up to date; called before anything else.
   * @param apply run again from its beginning after a failure that may pass
   * @throws Error for a person when the server does not answer within 10 s, or does not let us in
   */
  prepare<T>(apply: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction, alone, and commits it exactly once, also where the answer to the commit got
   * lost. When the server is busy or out of reach it is run again from its beginning. It waits 30 s at most, for its
   * turn and for the server together: then StoreBusyError. Where the answer to a commit was lost it asks 5 s longer for
   * its receipt: then StoreUncertainError.
   * @param startedAt from when the 30 s count; milliseconds of `performance.now()`
   */
  transact<T>(work: (executor: StatementExecutor) => Promise<T>, startedAt: number): Promise<T>;
  close(): Promise<void>;
}

const CREATE_RECEIPTS =
  'create table if not exists write_receipts (writer text primary key, number integer not null, at integer not null)';

/**
 * Each transaction writes its number into this process's row of `write_receipts`. When the connection breaks during a
 * commit nobody knows whether it took place; the row knows, as soon as we have got the write lock again.
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
        if (!mayPass(error)) throw error;
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

  /** True when that transaction was committed. Asked under the write lock, so that it cannot be under way any more. */
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
          // The receipt travels with the first statement, in one request.
          first: async (statement) => last(await transaction.batch([receiptOf(number), statement])),
          next: (statement) => transaction.execute(statement),
        });
        try {
          const result = await work(statements);
          statements.requireNoFault();
          unsure = { number, result };
          await transaction.commit();
          return result;
        } catch (error) {
          // Waits, so that our own next attempt does not meet this one's lock.
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
          [CREATE_RECEIPTS, { sql: 'delete from write_receipts where at < ?', args: [Date.now() - RECEIPT_MS] }],
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
 * The server may have given the transaction up at a fault that passes (it was busy, timed out, or is gone), and would
 * run later statements outside of it: from there on every one fails, and the commit too.
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
      if (mayPass(error)) fault = error;
      throw error;
    }
  };
  return { execute, requireNoFault };
}

function last(results: readonly ResultSet[]): ResultSet {
  const result = results.at(-1);
  if (!result) throw new Error('The database server gave no result.');
  return result;
}

/** The server does not answer, or the lock is taken: what was asked did not happen, or (a commit) can be looked up. */
const PASSING_CODES =
  /^(SQLITE_(BUSY|LOCKED|PROTOCOL)|TRANSACTION_(BUSY|TIMEOUT|CLOSED)|STREAM_EXPIRED|HRANA_CLOSED_ERROR)/;
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True when the same operation may succeed a little later, also where drizzle has wrapped the error. */
function mayPass(error: unknown): error is Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LibsqlError && PASSING_CODES.test(cause.code)) return true;
    // A server that was started anew does not know the batons of the old one.
    if ('status' in cause && (PASSING_STATUSES.has(Number(cause.status)) || /baton/i.test(cause.message))) return true;
    if (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.message === 'fetch failed')) return true;
    // The connection broke within the answer.
    if (cause instanceof TypeError && cause.message === 'terminated') return true;
  }
  return false;
}

/** Turns an error of opening a database into one that says what to do. */
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
