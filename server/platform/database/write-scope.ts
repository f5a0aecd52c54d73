import type { InStatement, ResultSet } from '@libsql/client';
import type { TransactionExecutor } from '#server/platform/database/transaction-executor';

const NO_RESULT: ResultSet = {
  columns: [],
  columnTypes: [],
  rows: [],
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON: () => ({}),
};

/** One write in a transaction: executes the statements of its drizzle queries. */
export class WriteScope {
  readonly #tx: TransactionExecutor;
  /** What `later` is starting. A query reaches `execute` before `then` returns. */
  #starting: { readonly otherwise: (() => Error) | undefined } | null = null;

  constructor(tx: TransactionExecutor) {
    this.#tx = tx;
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    if (!this.#starting) return this.#tx.execute(statement);
    this.#tx.defer(statement, this.#starting.otherwise);
    return NO_RESULT;
  }

  /** Starts a query without waiting for it. */
  later(query: () => PromiseLike<unknown>, otherwise?: () => Error): void {
    this.#starting = { otherwise };
    try {
      void query().then(noop, noop);
    } finally {
      this.#starting = null;
    }
  }
}

/** A deferred query has no result, and its error is the transaction's. */
const noop = () => undefined;
