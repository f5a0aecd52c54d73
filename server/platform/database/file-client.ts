import type { InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import Connection from 'libsql';
import { FileTransaction } from '#server/platform/database/file-transaction';
import type { StatementExecutor, TransactionExecutor } from '#server/platform/database/transaction-executor';

/** SQLite's own wait for a lock, milliseconds. It blocks the event loop, so it is short. */
const BUSY_TIMEOUT_MS = 20;
/** Maximum prepared statements per connection; the least recently used is removed first. */
const MAX_PREPARED_STATEMENTS = 200;

/** A prepared statement, with properties of it that are expensive to query: each query is a call into SQLite. */
interface Prepared {
  readonly statement: Connection.Statement;
  /** True if the statement returns rows. */
  readonly isReader: boolean;
  /** Names of its columns; empty until it has returned rows. */
  columns: readonly string[];
  /** True for `select *`: its columns depend on the schema, so their names are read again at each run. */
  readonly isNamedBySchema: boolean;
}

/**
 * A connection to an embedded database file. It caches prepared statements, because preparing one takes longer than
 * running it; SQLite prepares them again by itself after a schema change.
 */
export class FileClient implements StatementExecutor {
  readonly #path: string;
  #connection: Connection.Database;
  /** By SQL, the most recently used last. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(path: string) {
    this.#path = path;
    this.#connection = this.#open();
  }

  /** Runs one statement with its values by position. @throws the error of SQLite */
  async execute(statement: InStatement): Promise<ResultSet> {
    return this.#run(statement);
  }

  /**
   * Runs `work` in a write transaction: commits when `work` resolves, otherwise rolls everything back. Statements
   * executed in it after its end are refused.
   */
  async transaction<T>(work: (tx: TransactionExecutor) => Promise<T>): Promise<T> {
    const transaction = new FileTransaction({
      run: (statement) => this.#run(statement),
      isInTransaction: () => this.#connection.inTransaction,
    });
    try {
      const result = await work(transaction);
      await transaction.settle();
      transaction.commit();
      return result;
    } finally {
      transaction.end();
      if (this.#connection.open && this.#connection.inTransaction) this.#rollBack();
    }
  }

  /** Discards the connection with its uncommitted changes, and opens another. Pragmas must be set again. */
  reconnect(): void {
    this.close();
    this.#connection = this.#open();
  }

  close(): void {
    this.#prepared.clear();
    this.#connection.close();
  }

  #open(): Connection.Database {
    return new Connection(this.#path, { timeout: BUSY_TIMEOUT_MS });
  }

  #rollBack(): void {
    try {
      this.#run('rollback');
    } catch {
      this.reconnect();
    }
  }

  #run(statement: InStatement): ResultSet {
    // libSQL terminates the process if a closed connection is used.
    if (!this.#connection.open) throw new Error('The database is closed.');
    const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement;
    if (!Array.isArray(args)) throw new TypeError('The values of a statement are given in their order.');
    const prepared = this.#prepare(sql);
    const values = args.map(boundValue);
    if (!prepared.isReader) return resultOf(() => [], [], prepared.statement.run(values).changes);
    const rows = prepared.statement.all(values) as Value[][];
    if (rows.length > 0 && (prepared.isNamedBySchema || prepared.columns.length === 0))
      prepared.columns = columnsOf(prepared);
    return resultOf(
      () => columnsOf(prepared),
      rows.map((row) => rowOf(prepared.columns, row)),
      0,
    );
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql) ?? prepare(this.#connection, sql);
    // Some pragmas take effect while they are being prepared.
    if (/^\s*pragma/i.test(sql)) return prepared;
    this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MAX_PREPARED_STATEMENTS && oldest !== undefined) this.#prepared.delete(oldest);
    return prepared;
  }
}

function prepare(connection: Connection.Database, sql: string): Prepared {
  const statement = connection.prepare(sql);
  const isReader = statement.reader;
  if (isReader) statement.raw(true);
  return {
    statement,
    isReader,
    columns: [],
    isNamedBySchema: /(?:select|returning)\s+(?:distinct\s+)?\*|\.\*/i.test(sql),
  };
}

/** Converts a value to a type that libSQL accepts: with an unknown type, libSQL terminates the process. */
function boundValue(value: InValue): string | number | bigint | Uint8Array | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (value === undefined) throw new TypeError('A statement cannot hold undefined.');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`A statement cannot hold ${value}.`);
  return value;
}

function columnsOf({ statement }: Prepared): string[] {
  return statement.columns().map(({ name }) => name);
}

function resultOf(columns: () => string[], rows: Row[], rowsAffected: number): ResultSet {
  return {
    get columns() {
      return columns();
    },
    columnTypes: [],
    rows,
    rowsAffected,
    lastInsertRowid: undefined,
    toJSON: () => ({ columns: columns(), rows: rows.map((row) => Array.from(row)), rowsAffected }),
  };
}

/** A row in the form of `@libsql/client`: values by position (not enumerable) and by column name. */
function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  const row = Object.defineProperty({}, 'length', { value: values.length }) as Row;
  for (const [position, value] of values.entries()) {
    Object.defineProperty(row, position, { value });
    const column = columns[position] ?? '';
    if (!Object.hasOwn(row, column)) row[column] = value;
  }
  return row;
}
