import type { InStatement, ResultSet } from '@libsql/client';
import type { TransactionExecutor } from '#server/platform/database/transaction-executor';

/** A connection to an embedded file, which answers immediately. */
interface ImmediateConnection {
  run(this: void, statement: InStatement): ResultSet;
  isInTransaction(this: void): boolean;
}

/** A statement whose result nobody needs; see `TransactionExecutor.defer`. */
interface Deferred {
  readonly statement: InStatement;
  readonly otherwise: (() => Error) | undefined;
}

/**
 * A write transaction on an embedded file. Deferred statements run at once, except the first one of the transaction, and
 * of each savepoint: it waits for the second statement or for the end. If it is the only one, it runs without `begin` or
 * `savepoint`, because SQLite carries out each statement as a whole or not at all.
 */
export class FileTransaction implements TransactionExecutor {
  readonly #connection: ImmediateConnection;
  /** The statement that opens the transaction or the savepoint; null once it has run. */
  #opening: 'begin immediate' | 'savepoint one' | null = 'begin immediate';
  #first: Deferred | null = null;
  #isInSavepoint = false;
  #isOver = false;
  /** The error with which the transaction could not begin: no statement may run after it. */
  #refusal: { readonly error: unknown } | null = null;
  /** The error of the first deferred statement that has failed since the last `settle`. */
  #failure: { readonly error: unknown } | null = null;

  constructor(connection: ImmediateConnection) {
    this.#connection = connection;
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    this.#open();
    return this.#run(statement);
  }

  defer(statement: InStatement, otherwise?: () => Error): void {
    const deferred = { statement, otherwise };
    if (this.#opening !== null && this.#first === null && !this.#isOver) {
      this.#first = deferred;
      return;
    }
    this.#noteFailure(() => {
      this.#open();
      this.#runDeferred(deferred);
    });
  }

  async settle(): Promise<void> {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }

  savepoint(): void {
    this.#open();
    this.#opening = 'savepoint one';
  }

  release(): void {
    this.#runFirst();
    if (this.#isInSavepoint) this.#run('release one');
    this.#endSavepoint();
  }

  rollBackToSavepoint(): void {
    if (this.#isInSavepoint) {
      this.#run('rollback to one');
      this.#run('release one');
    }
    this.#endSavepoint();
  }

  /** Runs a single deferred statement, or commits. @throws the error of that statement */
  commit(): void {
    if (this.#refusal) throw this.#refusal.error;
    if (this.#opening === 'begin immediate') this.#runFirst();
    else this.#run('commit');
    this.#isOver = true;
  }

  /** Refuses further statements. */
  end(): void {
    this.#first = null;
    this.#isOver = true;
  }

  /** Sends the opening, which the first statement has waited for. */
  #open(): void {
    if (this.#refusal) throw this.#refusal.error;
    const opening = this.#opening;
    if (opening === null) return;
    try {
      this.#run(opening);
    } catch (error) {
      this.#refusal = { error };
      throw error;
    }
    this.#opening = null;
    this.#isInSavepoint = opening === 'savepoint one';
    this.#noteFailure(() => this.#runFirst());
  }

  #endSavepoint(): void {
    this.#opening = null;
    this.#first = null;
    this.#isInSavepoint = false;
  }

  #noteFailure(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #runFirst(): void {
    const first = this.#first;
    this.#first = null;
    if (first) this.#runDeferred(first);
  }

  #runDeferred({ statement, otherwise }: Deferred): void {
    const { columns, rows, rowsAffected } = this.#run(statement);
    if (otherwise && (columns.length > 0 ? rows.length : rowsAffected) === 0) throw otherwise();
  }

  #run(statement: InStatement): ResultSet {
    // SQLite itself ends a transaction after some errors, for example a full disk.
    const isEnded = this.#opening !== 'begin immediate' && !this.#connection.isInTransaction();
    if (this.#isOver || isEnded) throw new Error('The transaction is over.');
    return this.#connection.run(statement);
  }
}
