import type { InStatement, ResultSet } from '@libsql/client';

/** Runs SQL statements, one at a time: a connection, or a transaction. */
export interface StatementExecutor {
  execute(statement: InStatement): Promise<ResultSet>;
}

/** Runs the statements of a write transaction, in the order in which they are issued. */
export interface TransactionExecutor extends StatementExecutor {
  /**
   * Runs a statement whose result nobody needs. If it fails, the transaction fails: with the next `settle`, or with its
   * commit.
   * @param otherwise makes the error with which it fails if the statement has changed no row or, for a query, found none
   */
  defer(statement: InStatement, otherwise?: () => Error): void;
  /**
   * Called at the end of each write in the transaction. Throws, once, the error of a deferred statement that has already
   * run.
   */
  settle(): Promise<void>;
}

/** The statements of a transaction on a connection that answers immediately: deferring them would gain nothing. */
export class ImmediateTransaction implements TransactionExecutor {
  readonly #executor: StatementExecutor;
  /** The deferred statements; rejected with the error of the first one that has failed. */
  #deferred: Promise<void> | null = null;

  constructor(executor: StatementExecutor) {
    this.#executor = executor;
  }

  execute(statement: InStatement): Promise<ResultSet> {
    return this.#executor.execute(statement);
  }

  defer(statement: InStatement, otherwise?: () => Error): void {
    const running = this.#executeGuarded(statement, otherwise);
    // Both are awaited by `settle`.
    running.catch(() => undefined);
    this.#deferred = this.#deferred ? this.#deferred.then(() => running) : running;
    this.#deferred.catch(() => undefined);
  }

  async #executeGuarded(statement: InStatement, otherwise?: () => Error): Promise<void> {
    const result = await this.#executor.execute(statement);
    if (!otherwise) return;
    const isQuery = result.columns.length > 0;
    if ((isQuery ? result.rows.length : result.rowsAffected) === 0) throw otherwise();
  }

  async settle(): Promise<void> {
    const deferred = this.#deferred;
    this.#deferred = null;
    if (deferred) await deferred;
  }
}
