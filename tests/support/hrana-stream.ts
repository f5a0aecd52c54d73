import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';

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

export interface HranaStream {
  /** Carries one request out. Never throws: errors of SQL are answers. */
  answer(request: StreamRequest): object;
  /** The SQL texts that a request will run. */
  textsOf(request: StreamRequest): string[];
  readonly isOpen: boolean;
  /** Ends its transaction without a trace. */
  close(): void;
}

/** Opens a stream. A lock held by another one is refused immediately (SQLITE_BUSY). */
export function openHranaStream(file: string): HranaStream {
  const db = new DatabaseSync(file, { timeout: 0 });
  const texts = new Map<number, string>();

  function textOf({ sql, sql_id: id }: { sql?: string | undefined; sql_id?: number | undefined }): string {
    const text = id === undefined ? sql : texts.get(id);
    if (text === undefined) throw new Error('The SQL text was not found.');
    return text;
  }

  function run(stmt: Statement) {
    const prepared = db.prepare(textOf(stmt));
    prepared.setReadBigInts(true);
    const columns = prepared.columns();
    const named = Object.fromEntries(stmt.named_args.map(({ name, value }) => [name, valueOf(value)]));
    const args = stmt.args.map(valueOf);
    const bound = stmt.named_args.length > 0 ? ([named, ...args] as const) : args;
    const before = totalOf(db, 'total_changes');
    // The types do not know that rows are arrays then.
    prepared.setReturnArrays(true);
    const rows = prepared.all(...(bound as SQLInputValue[])) as unknown as SQLOutputValue[][];
    const { id } = db.prepare('select last_insert_rowid() as id').get() as { id: number };
    return {
      cols: columns.map(({ name, type }) => ({ name, decltype: type })),
      rows: rows.map((row) => row.map(wireOf)),
      // As a server counts: what triggers have changed is not among it.
      affected_row_count: totalOf(db, 'total_changes') === before ? 0 : totalOf(db, 'changes'),
      last_insert_rowid: String(id),
    };
  }

  function runBatch(steps: z.infer<typeof batch>['steps']) {
    const results: (object | null)[] = [];
    const errors: (object | null)[] = [];
    const holds = (cond: Condition): boolean => {
      if ('conds' in cond) return cond.type === 'and' ? cond.conds.every(holds) : cond.conds.some(holds);
      if ('cond' in cond) return !holds(cond.cond);
      if ('step' in cond) return Boolean((cond.type === 'ok' ? results : errors)[cond.step]);
      return !db.isTransaction;
    };
    for (const step of steps) {
      let result: object | null = null;
      let error: object | null = null;
      if (!step.condition || holds(step.condition)) {
        try {
          result = run(step.stmt);
        } catch (thrown) {
          error = errorOf(thrown);
        }
      }
      results.push(result);
      errors.push(error);
    }
    return { step_results: results, step_errors: errors };
  }

  function respond(request: StreamRequest): object {
    const { type } = request;
    if (type === 'execute') return { type, result: run(request.stmt) };
    if (type === 'batch') return { type, result: runBatch(request.batch.steps) };
    if (type === 'sequence') db.exec(textOf(request));
    if (type === 'store_sql') texts.set(request.sql_id, request.sql);
    if (type === 'close_sql') texts.delete(request.sql_id);
    if (type === 'close') db.close();
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

  return {
    answer: (request) => {
      try {
        return { type: 'ok', response: respond(request) };
      } catch (error) {
        return { type: 'error', error: errorOf(error) };
      }
    },
    textsOf: (request) => {
      if (request.type === 'execute') return [textOf(request.stmt)];
      if (request.type === 'batch') return request.batch.steps.map(({ stmt }) => textOf(stmt));
      return request.type === 'sequence' ? [textOf(request)] : [];
    },
    get isOpen() {
      return db.isOpen;
    },
    close: () => {
      if (db.isOpen) db.close();
    },
  };
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

function errorOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  const primary = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 1;
  return { message: `SQLite error: ${message}`, code: CODES[primary] ?? 'SQLITE_UNKNOWN' };
}
