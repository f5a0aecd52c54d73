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
  /** Begins a part of the transaction that may be undone by itself; parts do not nest. */
  savepoint(): void;
  /** Ends the part and keeps it. @throws the error of a deferred statement of the part that has run only now */
  release(): void;
  /** Ends the part and undoes it. */
  rollBackToSavepoint(): void;
}
