import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import type { SlotOwner, WriteSlot } from '#tests/support/write-slot';

/* One stream of libSQL's Hrana protocol: a separate connection to the database file, and its answers. */

const wireValue = z.discriminatedUnion('type', [
  z.object({ type: z.literal('null') }),
  z.object({ type: z.literal('integer'), value: z.string() }),
  z.object({ type: z.literal('float'), value: z.number() }),
  z.object({ type: z.literal('text'), value: z.string() }),
  z.object({ type: z.literal('blob'), base64: z.string() }),
]);
const sqlText = { sql: z.string().optional(), sql_id: z.number().optional() };
const statement = z.object({
  ...sqlText,
  args: z.array(wireValue).default([]),
  named_args: z.array(z.object({ name: z.string(), value: wireValue })).default([]),
  want_rows: z.boolean().default(true),
});
type Statement = z.infer<typeof statement>;

type Condition =
  | { readonly type: 'ok' | 'error'; readonly step: number }
  | { readonly type: 'not'; readonly cond: Condition }
  | { readonly type: 'and' | 'or'; readonly conds: readonly Condition[] }
  | { readonly type: 'is_autocommit' };
const condition: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.enum(['ok', 'error']), step: z.number() }),
    z.object({ type: z.literal('not'), cond: condition }),
    z.object({ type: z.enum(['and', 'or']), conds: z.array(condition) }),
    z.object({ type: z.literal('is_autocommit') }),
  ]),
);
const batch = z.object({ steps: z.array(z.object({ condition: condition.nullish(), stmt: statement })) });

export const streamRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('close') }),
  z.object({ type: z.literal('execute'), stmt: statement }),
  z.object({ type: z.literal('batch'), batch }),
  z.object({ type: z.literal('sequence'), ...sqlText }),
  z.object({ type: z.literal('describe'), ...sqlText }),
  z.object({ type: z.literal('store_sql'), sql_id: z.number(), sql: z.string() }),
  z.object({ type: z.literal('close_sql'), sql_id: z.number() }),
  z.object({ type: z.literal('get_autocommit') }),
]);
export type StreamRequest = z.infer<typeof streamRequest>;

/** The error names that a server gives for SQLite's primary result codes; others are SQLITE_UNKNOWN. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  13: 'SQLITE_FULL',
  19: 'SQLITE_CONSTRAINT',
};

/** A statement that takes the write lock, also where it then changes nothing. */
const TAKES_WRITE_LOCK =
  /^\s*(--[^\n]*\n\s*)*(insert|update|delete|replace|create|drop|alter|reindex|pragma\s+user_version\s*=|begin\s+(immediate|exclusive)|with\b[^]*\b(insert|update|delete|replace)\s)/i;

/** The response to a statement of a transaction that the server has rolled back. */
const TIMED_OUT = { message: 'Transaction timed out', code: 'TRANSACTION_TIMEOUT' };

class ResponseTooLarge extends Error {}

export interface HranaStream {
  /** Carries one request out. Never rejects: errors of SQL are answers. */
  answer(request: StreamRequest): Promise<object>;
  /** A text that was stored with `store_sql`. */
  readonly storedText: (id: number) => string | undefined;
  readonly isOpen: boolean;
  readonly isInTransaction: boolean;
  /** Rolls its transaction back, as the server does with one that is older than it may be. */
  rollBackByForce(): void;
  /** Ends its transaction without a trace. */
  close(): void;
}

/** What a stream needs of its server. */
export interface StreamOptions {
  readonly file: string;
  readonly slot: WriteSlot;
  /** Largest size of the results of one request, in bytes as the server counts them. */
  readonly responseBytes: number;
  /** Largest value of a statement, in bytes. */
  readonly valueBytes: number;
}

/**
 * Opens a stream. A statement that needs the write lock waits for it. A transaction that was rolled back by force has
 * `TRANSACTION_TIMEOUT` for all statements of the next request, and the stream is in autocommit mode afterwards
 * (libsql-server 0.24, `CoreConnection::run` in src/connection/connection_core.rs).
 */
export function openHranaStream({ file, slot, responseBytes, valueBytes }: StreamOptions): HranaStream {
  const db = new DatabaseSync(file, { timeout: 0 });
  const texts = new Map<number, string>();
  let isRolledBack = false;

  const owner: SlotOwner = {
    rollBackByForce: () => {
      isRolledBack = true;
      if (db.isTransaction) db.exec('rollback');
      slot.release(owner);
    },
  };

  function textOf({ sql, sql_id: id }: { sql?: string | undefined; sql_id?: number | undefined }): string {
    const text = id === undefined ? sql : texts.get(id);
    if (text === undefined) throw new Error('The SQL text was not found.');
    return text;
  }

  function takeRollback(): boolean {
    const taken = isRolledBack;
    isRolledBack = false;
    return taken;
  }

  /** Runs `work` once the statement may write. */
  async function locked<T>(text: string, work: () => T): Promise<T> {
    if (TAKES_WRITE_LOCK.test(text) && !(await slot.acquire(owner))) throw new Busy();
    try {
      return work();
    } catch (error) {
      // The transaction has read rows that others changed since, so SQLite did not give it the lock.
      if (isBusy(error)) slot.release(owner);
      throw error;
    } finally {
      if (!db.isOpen || !db.isTransaction) slot.release(owner);
    }
  }

  function run(stmt: Statement) {
    const prepared = db.prepare(textOf(stmt));
    prepared.setReadBigInts(true);
    const columns = prepared.columns();
    const given = [...stmt.args, ...stmt.named_args.map(({ value }) => value)];
    if (given.some((value) => sizeOf([[value]]) > valueBytes))
      throw new WireError({ message: 'SQLite error: string or blob too big', code: 'SQLITE_TOOBIG' });
    const named = Object.fromEntries(stmt.named_args.map(({ name, value }) => [name, valueOf(value)]));
    const args = stmt.args.map(valueOf);
    const bound = stmt.named_args.length > 0 ? ([named, ...args] as const) : args;
    const before = totalOf(db, 'total_changes');
    // The types do not know that rows are arrays then.
    prepared.setReturnArrays(true);
    const rows = prepared.all(...(bound as SQLInputValue[])) as unknown as SQLOutputValue[][];
    // As text: the full-text index has row numbers that are too large for a number.
    const { id } = db.prepare('select cast(last_insert_rowid() as text) as id').get() as { id: string };
    return {
      cols: columns.map(({ name, type }) => ({ name, decltype: type })),
      rows: stmt.want_rows ? rows.map((row) => row.map(wireOf)) : [],
      // As a server counts: what triggers have changed is not among it.
      affected_row_count: totalOf(db, 'total_changes') === before ? 0 : totalOf(db, 'changes'),
      last_insert_rowid: id,
    };
  }

  async function runBatch(steps: z.infer<typeof batch>['steps']) {
    const results: (object | null)[] = [];
    const errors: (object | null)[] = [];
    const holds = (cond: Condition): boolean => {
      if ('conds' in cond) return cond.type === 'and' ? cond.conds.every(holds) : cond.conds.some(holds);
      if ('cond' in cond) return !holds(cond.cond);
      if ('step' in cond) return Boolean((cond.type === 'ok' ? results : errors)[cond.step]);
      return !db.isTransaction;
    };
    let left = responseBytes;
    let isOver = false;
    for (const { condition: cond, stmt } of steps) {
      let result: object | null = null;
      let error: object | null = null;
      isOver ||= takeRollback();
      if (isOver) error = TIMED_OUT;
      else if (!cond || holds(cond)) {
        try {
          const { cols, rows, ...counts } = await locked(textOf(stmt), () => run(stmt));
          left -= sizeOf(rows);
          if (left < 0) throw new ResponseTooLarge();
          result = { cols, rows, ...counts };
        } catch (thrown) {
          // Ends the whole batch where it is: a transaction stays open.
          if (thrown instanceof ResponseTooLarge) throw thrown;
          error = errorOf(thrown);
        }
      }
      results.push(result);
      errors.push(error);
    }
    return { step_results: results, step_errors: errors };
  }

  /** @throws an object that is the error of the wire */
  async function respond(request: StreamRequest): Promise<object> {
    const { type } = request;
    if (type === 'execute') {
      const { step_results, step_errors } = await runBatch([{ stmt: request.stmt }]);
      if (step_errors[0]) throw new WireError(step_errors[0]);
      return { type, result: step_results[0] };
    }
    if (type === 'batch') return { type, result: await runBatch(request.batch.steps) };
    if (type === 'sequence') {
      if (takeRollback()) throw new WireError(TIMED_OUT);
      const text = textOf(request);
      await locked(text, () => db.exec(text));
    }
    if (type === 'store_sql') texts.set(request.sql_id, request.sql);
    if (type === 'close_sql') texts.delete(request.sql_id);
    if (type === 'close') close();
    if (type === 'get_autocommit') return { type, is_autocommit: !db.isTransaction };
    if (type === 'describe') return { type, result: describe(textOf(request)) };
    return { type };
  }

  function describe(sql: string) {
    const cols = db.prepare(sql).columns();
    return {
      params: [],
      cols: cols.map(({ name, type }) => ({ name, decltype: type })),
      is_explain: /^\s*explain/i.test(sql),
      is_readonly: cols.length > 0 && /^\s*(select|with|explain)/i.test(sql),
    };
  }

  function close(): void {
    if (db.isOpen) db.close();
    slot.release(owner);
  }

  return {
    answer: async (request) => {
      try {
        return { type: 'ok', response: await respond(request) };
      } catch (error) {
        return { type: 'error', error: errorOf(error) };
      }
    },
    storedText: (id) => texts.get(id),
    get isOpen() {
      return db.isOpen;
    },
    get isInTransaction() {
      return db.isOpen && db.isTransaction;
    },
    rollBackByForce: () => owner.rollBackByForce(),
    close,
  };
}

/** The SQL texts that a request will run. @param storedText finds one that was stored with `store_sql` */
export function textsOf(request: StreamRequest, storedText: (id: number) => string | undefined): string[] {
  const textOf = ({ sql, sql_id: id }: { sql?: string | undefined; sql_id?: number | undefined }) =>
    (id === undefined ? sql : storedText(id)) ?? '';
  if (request.type === 'execute') return [textOf(request.stmt)];
  if (request.type === 'batch') return request.batch.steps.map(({ stmt }) => textOf(stmt));
  return request.type === 'sequence' ? [textOf(request)] : [];
}

/** An error of a statement in its wire format. */
class WireError extends Error {
  readonly wire: object;

  constructor(wire: object) {
    super('The statement failed.');
    this.wire = wire;
  }
}

class Busy extends WireError {
  constructor() {
    super({ message: 'SQLite error: database is locked', code: 'SQLITE_BUSY' });
  }
}

/** Size of rows as the server counts it (libsql-server 0.24, `value_json_size` in src/hrana/result_builder.rs). */
function sizeOf(rows: readonly (readonly z.infer<typeof wireValue>[])[]): number {
  let size = 0;
  for (const row of rows)
    for (const value of row)
      size += value.type === 'blob' ? (value.base64.length * 3) / 4 : Buffer.byteLength(JSON.stringify(value));
  return size;
}

function totalOf(db: DatabaseSync, counter: 'changes' | 'total_changes'): number {
  return (db.prepare(`select ${counter}() as rows`).get() as { rows: number }).rows;
}

function valueOf(value: z.infer<typeof wireValue>): SQLInputValue {
  if (value.type === 'null') return null;
  if (value.type === 'integer') return BigInt(value.value);
  if (value.type === 'blob') return Buffer.from(value.base64, 'base64');
  return value.value;
}

function wireOf(value: SQLOutputValue): z.infer<typeof wireValue> {
  if (value === null) return { type: 'null' };
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) };
  if (typeof value === 'number') return { type: 'float', value };
  if (typeof value === 'string') return { type: 'text', value };
  return { type: 'blob', base64: Buffer.from(value).toString('base64') };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}

function errorOf(error: unknown): object {
  if (error instanceof WireError) return error.wire;
  if (error instanceof ResponseTooLarge) return { message: 'Response is too large', code: 'RESPONSE_TOO_LARGE' };
  const message = error instanceof Error ? error.message : String(error);
  const primary = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 1;
  return { message: `SQLite error: ${message}`, code: CODES[primary] ?? 'SQLITE_UNKNOWN' };
}
