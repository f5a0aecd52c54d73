import { setTimeout as sleep } from 'node:timers/promises';
import { type InStatement, LibsqlError, type Value } from '@libsql/client';
import Connection from 'libsql';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import type { CopySource, CopyTarget } from '#server/platform/database/copy-database';
import { runAtPrimary } from '#server/platform/database/migrations';
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
  return {
    write: async (statements) => {
      connection.exec('begin');
      for (const statement of statements) {
        const { sql, args } = withArgs(statement);
        connection.prepare(sql).run(args);
      }
      connection.exec('commit');
    },
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
  const write = async (statements: readonly InStatement[]) => {
    for (const startedAt = performance.now(); ; await sleep(PAUSE_MS)) {
      try {
        // One transaction without checks of foreign keys.
        return void (await client.migrate([...statements]));
      } catch (error) {
        if (error instanceof LibsqlError && error.code === 'SQLITE_TOOBIG') throw new InvalidInputError(TOO_BIG);
        if (!isTemporary(error) || performance.now() - startedAt > PATIENCE_MS)
          throw explainServerError(error, address.url);
      }
    }
  };
  const requireEmpty = async () => {
    const sql = "select name from sqlite_master where name not like 'sqlite\\_%' escape '\\' limit 1";
    const { rows } = await runAtPrimary(client, (tx) => tx.execute(sql)).catch((error: unknown) => {
      throw explainServerError(error, address.url);
    });
    if (rows.length > 0)
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
    write,
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
