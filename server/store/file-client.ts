import type { InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import Connection from 'libsql';
import type { StatementExecutor } from '#server/store/remote-connection';

/** SQLite's own wait for a lock, milliseconds. It blocks the event loop, so it is short. */
const BUSY_TIMEOUT_MS = 20;
/** Prepared statements that a connection keeps; the one that was not used for the longest time goes first. */
const MOST_PREPARED = 200;

/** A statement that is prepared, with what it takes a call into SQLite to ask of it. */
interface Prepared {
  readonly statement: Connection.Statement;
  /** True where the statement returns rows. */
  readonly isReader: boolean;
  /** Names of its columns, once it has returned rows; read anew each time where the schema says them. */
  columns: readonly string[];
  readonly isNamedBySchema: boolean;
}

/**
 * One connection to an embedded database file. It keeps the statements that it has prepared, as to prepare one takes longer
 * than to run it; SQLite prepares them again by itself after the schema has changed.
 */
export class FileClient implements StatementExecutor {
  readonly #path: string;
  #connection: Connection.Database;
  /** By their SQL; the one used last is the last. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(path: string) {
    this.#path = path;
    this.#connection = this.#open();
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    return this.#run(statement);
  }

  /**
   * Runs `work` in a write transaction: it is committed when `work` resolves, otherwise nothing of it stands. What is
   * executed in it after its end is refused.
   */
  async transaction<T>(work: (tx: StatementExecutor) => Promise<T>): Promise<T> {
    this.#run('begin immediate');
    let isOpen = true;
    const execute = async (statement: InStatement) => {
      // SQLite itself ends one after some errors, a full disk for instance.
      if (!isOpen || !this.#connection.inTransaction) throw new Error('The transaction is over.');
      return this.#run(statement);
    };
    try {
      const result = await work({ execute });
      this.#run('commit');
      return result;
    } finally {
      isOpen = false;
      if (this.#connection.open && this.#connection.inTransaction) this.#rollBack();
    }
  }

  /** Throws the connection away, with what it has not committed, and opens another. Pragmas have to be set again. */
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
    // libSQL ends the process when a closed connection is asked for something.
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
    // Some pragmas do their work while they are prepared.
    if (/^\s*pragma/i.test(sql)) return prepared;
    this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MOST_PREPARED && oldest !== undefined) this.#prepared.delete(oldest);
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

/** A value as libSQL takes it. What it does not know ends the process. */
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

/** A row whose columns can be read by position, and listed by name. */
function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  const row = Object.defineProperty({}, 'length', { value: values.length }) as Row;
  for (const [position, value] of values.entries()) {
    Object.defineProperty(row, position, { value });
    const column = columns[position] ?? '';
    if (!Object.hasOwn(row, column)) row[column] = value;
  }
  return row;
}
