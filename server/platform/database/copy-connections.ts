import { setTimeout as sleep } from 'node:timers/promises';
import { type InStatement, LibsqlError, type Value } from '@libsql/client';
import Connection from 'libsql';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { type CopySource, type CopyTarget, MIGRATIONS } from '#server/platform/database/copy-database';
import { runAtPrimary } from '#server/platform/database/migrations';
import { failingUnless, isRefused } from '#server/platform/database/remote-transaction';
import {
  createServerClient,
  explainServerError,
  isTemporary,
  type ServerAddress,
} from '#server/platform/database/remote-connection';

/** How long the copy to a server repeats a transaction that the server does not answer, milliseconds. */
const PATIENCE_MS = 60_000;
/** Pause before each repetition, milliseconds. */
const PAUSE_MS = 500;

const TOO_BIG =
  'The backup holds a file that is larger than the database server accepts. Raise its max_row_size (5 MB by default), empty it, and restore again.';

/** Finds something in a database that is complete: instances may use it. */
const STARTED = `select 1 from sqlite_master where name = '${MIGRATIONS}'`;
/**
 * Fails in a complete database, and with it its transaction: a request whose connection was lost may be carried out much
 * later.
 */
const REFUSED_IF_STARTED = `select ${failingUnless(`not exists (${STARTED})`)}`;
const STARTED_MEANWHILE =
  'An instance has started on the database server meanwhile, so it was not filled. Stop it, give the server a new, empty database, and restore again.';

/** Opens an embedded database to be copied. It must not be in use by a server that migrates it. */
export function openFileSource(path: string): CopySource {
  const connection = new Connection(path);
  connection.exec('begin');
  return {
    all: async (sql, values = []) => connection.prepare(sql).raw(true).safeIntegers(true).all(values) as Value[][],
    close: async () => {
      connection.close();
    },
  };
}

/** Creates an embedded database to be filled. If the process ends before it is closed, the file is useless. */
export function openFileTarget(path: string): CopyTarget {
  const connection = new Connection(path);
  connection.exec('pragma journal_mode = off');
  connection.exec('pragma foreign_keys = off');
  const write = async (statements: readonly InStatement[]) => {
    connection.exec('begin');
    for (const statement of statements) {
      const { sql, args } = withArgs(statement);
      connection.prepare(sql).run(args);
    }
    connection.exec('commit');
  };
  return {
    write,
    finish: write,
    close: async () => {
      connection.close();
    },
  };
}

/**
 * Opens a database on a server to be copied: all queries belong to one read transaction, so that they see one moment.
 * @throws Error with a readable message if the server does not answer, or breaks off
 */
export function openServerSource(address: ServerAddress): CopySource {
  const client = createServerClient(address, 'bigint');
  // A transaction that stays open also reads from the primary where the address is that of a replica.
  const opening = client.transaction('deferred');
  return {
    all: async (sql, values = []) => {
      try {
        const transaction = await opening;
        const { rows } = await transaction.execute({ sql, args: [...values] });
        return rows.map((row) => Array.from(row));
      } catch (error) {
        throw explainServerError(error, address.url);
      }
    },
    close: async () => {
      const transaction = await opening;
      await transaction.rollback().catch(() => {});
      client.close();
    },
  };
}

/** A database on a server that is filled. */
interface ServerTarget extends CopyTarget {
  /** @throws ConflictError if the server holds a database by now */
  requireEmpty(): Promise<void>;
}

/**
 * Opens a database on a server to be filled.
 * @throws ConflictError if the server holds a database already, Error with a readable message if it does not answer
 */
export async function openServerTarget(address: ServerAddress): Promise<ServerTarget> {
  const client = createServerClient(address, 'bigint');
  const holds = async (sql: string) => {
    const { rows } = await runAtPrimary(client, (tx) => tx.execute(sql)).catch((error: unknown) => {
      throw explainServerError(error, address.url);
    });
    return rows.length > 0;
  };
  /** @param isLast the statements complete the database */
  const attempt = async (statements: readonly InStatement[], isLast: boolean): Promise<void> => {
    let isUnsure = false;
    for (const startedAt = performance.now(); ; await sleep(PAUSE_MS)) {
      try {
        // One transaction without checks of foreign keys.
        return void (await client.migrate([REFUSED_IF_STARTED, ...statements]));
      } catch (error) {
        if (error instanceof LibsqlError && error.code === 'SQLITE_TOOBIG') throw new InvalidInputError(TOO_BIG);
        if (isRefused(error) && (await holds(STARTED))) {
          // An instance does not accept what was filled until then: these statements have completed it.
          if (isLast && isUnsure) return;
          throw new ConflictError(STARTED_MEANWHILE);
        }
        if (!isTemporary(error) || performance.now() - startedAt > PATIENCE_MS)
          throw explainServerError(error, address.url);
        isUnsure = true;
      }
    }
  };
  const requireEmpty = async () => {
    const anything = "select name from sqlite_master where name not like 'sqlite\\_%' escape '\\' limit 1";
    if (await holds(anything))
      throw new ConflictError(
        'The database server is not empty. Nothing was changed. Give it a new, empty database, and restore again.',
      );
  };
  try {
    await requireEmpty();
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    write: (statements) => attempt(statements, false),
    finish: (statements) => attempt(statements, true),
    requireEmpty,
    close: async () => client.close(),
  };
}

function withArgs(statement: InStatement): { readonly sql: string; readonly args: unknown[] } {
  if (typeof statement === 'string') return { sql: statement, args: [] };
  const args: unknown[] = Array.isArray(statement.args) ? [...statement.args] : [];
  // The client of servers reads blobs as array buffers, which the embedded database does not take.
  return { sql: statement.sql, args: args.map((value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value)) };
}
