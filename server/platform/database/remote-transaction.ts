import type { InStatement, ResultSet } from '@libsql/client';
import { BatchCond, type BatchStep, type Stream } from '@libsql/hrana-client';
import { errorFromHrana, hranaStatement, resultFromHrana } from '#server/platform/database/hrana-streams';
import type { TransactionExecutor } from '#server/platform/database/transaction-executor';

/**
 * Number of deferred statements, and of characters and bytes in their values, after which they are sent without waiting for
 * another one. A choice: bounds the size of a request.
 */
const MAX_DEFERRED = 100;
const MAX_DEFERRED_SIZE = 1_000_000;

/** A statement that was not sent yet. */
interface Pending {
  readonly statement: InStatement;
  /** For a deferred one: makes the error of the transaction from its own. */
  readonly failure: ((error: unknown) => unknown) | null;
  readonly resolve: (result: ResultSet) => void;
  readonly reject: (error: unknown) => void;
}

const noop = () => undefined;

/**
 * A write transaction on a stream. Statements are sent in as few requests as possible: those of the same round of the
 * event loop together, deferred ones with the next statement that is waited for, the beginning with the first and the
 * commit with the last. In a request, each statement runs only if the one before succeeded.
 */
export class RemoteTransaction implements TransactionExecutor {
  readonly #stream: Stream;
  readonly #receipt: InStatement;
  #pending: Pending[] = [];
  #pendingSize = 0;
  #sending: Promise<void> | undefined;
  /** True from the request of the beginning on. */
  #isBegun = false;
  #isOver = false;
  /** True once the commit or the rollback was asked for: no statement may follow. */
  #isEnded = false;
  #fault: { readonly error: unknown } | undefined;
  #isUnsure = false;

  /**
   * @param stream without a transaction
   * @param receipt the first statement of the transaction
   */
  constructor(stream: Stream, receipt: InStatement) {
    this.#stream = stream;
    this.#receipt = receipt;
  }

  /** True if the commit was sent and its outcome is unknown. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** True if the stream is known to have no transaction, so that it can be used for another one. */
  get isOver(): boolean {
    return this.#isOver || !this.#isBegun;
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    this.#requireOpen();
    const { promise, resolve, reject } = Promise.withResolvers<ResultSet>();
    this.#pending.push({ statement, failure: null, resolve, reject });
    void this.#sendSoon();
    return promise;
  }

  defer(statement: InStatement, otherwise?: () => Error): void {
    this.#requireOpen();
    const add = (deferred: InStatement, failure: Pending['failure']) => {
      this.#pending.push({ statement: deferred, failure, resolve: noop, reject: noop });
      this.#pendingSize += sizeOf(deferred);
    };
    if (!otherwise) add(statement, (error) => error);
    else if (isQuery(statement)) add(failingIfEmpty(statement), refused(otherwise));
    else {
      add(statement, (error) => error);
      add(`select ${failingUnless('changes() > 0')}`, refused(otherwise));
    }
    if (this.#isFull) void this.#sendSoon();
  }

  get #isFull(): boolean {
    return this.#pending.length >= MAX_DEFERRED || this.#pendingSize >= MAX_DEFERRED_SIZE;
  }

  savepoint(): void {
    this.defer('savepoint one');
  }

  release(): void {
    this.defer('release one');
  }

  rollBackToSavepoint(): void {
    this.defer('rollback to one');
    this.defer('release one');
  }

  /** A deferred statement that has failed is the reason why later ones are refused. */
  async settle(): Promise<void> {
    this.#requireNoFault();
  }

  /** Sends what is left, with the commit. A transaction without statements is not sent at all. */
  async commit(): Promise<void> {
    await this.#sending;
    this.#requireNoFault();
    this.#isEnded = true;
    if (!this.#isBegun && this.#pending.length === 0) return;
    await this.#send(true);
    this.#requireNoFault();
  }

  /** Ends the transaction without a trace. Never throws: the server ends a transaction with its stream. */
  async rollback(): Promise<void> {
    await this.#sending;
    this.#isEnded = true;
    if (this.isOver || this.#stream.closed) return;
    await this.#stream.run('rollback').then(
      () => (this.#isOver = true),
      () => undefined,
    );
  }

  #requireNoFault(): void {
    if (this.#fault) throw this.#fault.error;
  }

  #requireOpen(): void {
    this.#requireNoFault();
    if (this.#isEnded) throw new Error('The transaction is over.');
  }

  /** Sends what was issued in this round of the event loop. */
  #sendSoon(): Promise<void> {
    return (this.#sending ??= this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#send(false);
    } while (this.#pending.some(({ failure }) => failure === null) || this.#isFull);
    // Without an await since the check: a statement that is issued now begins the next round.
    this.#sending = undefined;
  }

  async #send(isLast: boolean): Promise<void> {
    const sent = this.#pending;
    this.#pending = [];
    this.#pendingSize = 0;
    if (this.#fault) {
      for (const { reject } of sent) reject(this.#fault.error);
      return;
    }
    const batch = this.#stream.batch();
    let previous: BatchStep | undefined;
    const add = (statement: InStatement) => {
      const step = batch.step();
      if (previous) step.condition(BatchCond.ok(previous));
      previous = step;
      const result = step.query(hranaStatement(statement));
      // It is awaited below, after others.
      result.catch(noop);
      return result;
    };
    const opening = this.#isBegun ? [] : [add('begin immediate'), add(this.#receipt)];
    this.#isBegun = true;
    try {
      const results = sent.map(({ statement }) => add(statement));
      const ending = isLast ? [add('commit')] : [];
      if (previous && isLast) {
        const undo = batch.step().condition(BatchCond.not(BatchCond.ok(previous)));
        undo.run('rollback').catch(noop);
      }
      this.#isUnsure = isLast;
      await batch.execute();
      this.#isUnsure = false;
      this.#isOver = isLast;
      // The beginning failed: there is no transaction.
      if (opening.length > 0) await opening[0]?.catch((error: unknown) => this.#end(error));
      await this.#settle(sent, [...opening, ...results, ...ending], opening.length);
    } catch (error) {
      this.#fail(errorFromHrana(error), sent);
    }
  }

  #end(error: unknown): never {
    this.#isOver = true;
    throw error;
  }

  /** Gives each statement its result; those that did not run get the error of the one that failed. */
  async #settle(
    sent: readonly Pending[],
    steps: readonly Promise<Parameters<typeof resultFromHrana>[0] | undefined>[],
    offset: number,
  ): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const own = sent[index - offset];
      try {
        const rows = await step;
        if (rows === undefined) throw new Error('A statement of the transaction did not run.');
        own?.resolve(resultFromHrana(rows));
      } catch (error) {
        const cause = errorFromHrana(error);
        const left = sent.slice(Math.max(0, index - offset));
        const isHarmless = own !== undefined && left.every(({ failure }) => failure === null) && !this.#isOver;
        // SQLite ends a transaction after some errors, for example a full disk: later statements would run outside of it.
        if (!isHarmless || !isConstraint(cause)) this.#fail(own?.failure?.(cause) ?? cause, left);
        else for (const { reject } of left) reject(cause);
        return;
      }
    }
  }

  /** Refuses these statements and all later ones. */
  #fail(error: unknown, sent: readonly Pending[]): void {
    this.#fault ??= { error };
    for (const { reject } of sent) reject(error);
  }
}

/** True for an error that ends only its statement. */
function isConstraint(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT');
}

/** SQL that fails unless the condition holds: SQLite raises an error for text that is not JSON. */
export function failingUnless(condition: string): string {
  return `json(iif(${condition}, '1', 'refused'))`;
}

function failingIfEmpty(query: InStatement): InStatement {
  const { sql, args = [] } = typeof query === 'string' ? { sql: query } : query;
  return { sql: `select ${failingUnless(`exists (${sql})`)}`, args };
}

/** Characters and bytes in the values of a statement. */
function sizeOf(statement: InStatement): number {
  const args = typeof statement === 'string' ? [] : Object.values(statement.args ?? []);
  return args.reduce<number>((size, value) => {
    if (typeof value === 'string') return size + value.length;
    return size + (value instanceof Uint8Array || value instanceof ArrayBuffer ? value.byteLength : 0);
  }, 0);
}

function isQuery(statement: InStatement): boolean {
  return /^\s*(?:select|with)\b/i.test(typeof statement === 'string' ? statement : statement.sql);
}

/** True if the condition of `failingUnless` may not have held; a statement with invalid JSON fails in the same way. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && /malformed JSON/i.test(error.message);
}

/** The caller's error, if the condition did not hold; another failure stays what it is. */
function refused(otherwise: () => Error): (error: unknown) => unknown {
  return (error) => (isRefused(error) ? otherwise() : error);
}
