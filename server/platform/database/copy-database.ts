import type { InStatement, InValue, Value } from '@libsql/client';
import { InvalidInputError } from '#server/core/errors';

/* Copies a whole database from one kind of storage to another: from a file to a server, or from a server to a file. */

/** A database that is read, at one moment in time. */
export interface CopySource {
  /** Runs a query in the one read transaction. Integers are bigints. */
  all(sql: string, values?: readonly InValue[]): Promise<readonly (readonly Value[])[]>;
  close(): Promise<void>;
}

/** An empty database that is filled. */
export interface CopyTarget {
  /**
   * Runs statements in one transaction, without checks of foreign keys. It may run them again if a server has not
   * answered: they must have the same result the second time.
   */
  write(statements: readonly InStatement[]): Promise<void>;
  /** Like `write`, for the last statements: with them, the copy is accepted as a database. */
  finish(statements: readonly InStatement[]): Promise<void>;
  close(): Promise<void>;
}

/** How far a copy is. */
interface CopyProgress {
  readonly table: string;
  /** Copied rows of the table. */
  readonly rows: number;
  readonly totalRows: number;
}

/** Called while a copy proceeds. */
export type ProgressListener = (progress: CopyProgress) => void;

/** Maximum rows of a page, and of a transaction of the target. */
const PAGE_ROWS = 1_000;
/** Maximum size of a page, in bytes. A server's response holds at most 10 MB (libsql-server 0.24, max_response_size). */
const PAGE_BYTES = 2_000_000;
/** Values up to this size are read together, if a row is larger than a page; bytes. */
const SMALL_VALUE_BYTES = 50_000;
/** Maximum messages that are indexed by one statement. */
const INDEXED_ROWS = 200;
/** Below every rowid. */
const FIRST_ROWID = -(2n ** 63n);

/** The table of applied migrations: a database without it does not start. */
export const MIGRATIONS = '__drizzle_migrations';
/** What only a database on a server has; it is created when an instance opens it. */
const OF_SERVERS = new Set(['write_receipts', 'drizzle_migrations_once']);
/** The full-text indexes, which are filled from views for the rows of `searchable_parts`. */
const SEARCH_INDEX = 'history_search';
const TRIGRAM_INDEX = 'history_search_trigrams';
/** The view from which the index of trigrams is filled; in its present form it names the session of each text. */
const UNSPACED_TEXTS = 'unspaced_part_texts';
/** Tables in which FTS5 keeps an index, named after it (https://www.sqlite.org/fts5.html, section 9.2). */
const FTS5_TABLE = /_(?:data|idx|content|docsize|config)$/;

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table of an index or of a trigger. */
  readonly table: string;
  readonly sql: string;
}

/**
 * Copies all tables, with their rowids, then views, the full-text indexes and triggers, and at the end the applied
 * migrations: an unfinished copy is not accepted as a database.
 * @throws InvalidInputError if the source is not a database of Throughline
 */
export async function copyDatabase(
  source: CopySource,
  target: CopyTarget,
  onProgress: ProgressListener,
): Promise<void> {
  const schema = await readSchema(source);
  const tables = schema.filter(({ type, sql }) => type === 'table' && !isVirtual(sql));
  if (!['sessions', MIGRATIONS].every((name) => tables.some((table) => table.name === name)))
    throw new InvalidInputError('This is not a database of Throughline, or it is empty.');
  const isLast = ({ table }: SchemaObject) => table === MIGRATIONS;
  const creating = (objects: readonly SchemaObject[]) => objects.map(({ sql }) => idempotent(sql));
  const create = (objects: readonly SchemaObject[]) => target.write(creating(objects));
  const withIndexes = [...tables, ...schema.filter(({ type }) => type === 'index')];

  await create(withIndexes.filter((object) => !isLast(object)));
  for (const { name } of tables) if (name !== MIGRATIONS) await copyRows(source, target, name, onProgress);
  await copySequences(source, target);
  await create(schema.filter(({ type }) => type === 'view'));
  await create(schema.filter(({ type, sql }) => type === 'table' && isVirtual(sql)));
  // An older index of trigrams stays empty: the migration to the present one fills it anew.
  const hasTrigrams = schema.some(({ name, sql }) => name === UNSPACED_TEXTS && sql.includes('session_mark'));
  if (schema.some(({ name }) => name === SEARCH_INDEX))
    await fillSearchIndexes(source, target, hasTrigrams, onProgress);
  const migrations: InStatement[] = [];
  for await (const page of insertsOf(source, MIGRATIONS)) migrations.push(...page);
  // With the migrations, so that no batch that arrives late meets triggers: it would index its rows a second time.
  const triggers = creating(schema.filter(({ type }) => type === 'trigger'));
  await target.finish([...triggers, ...creating(withIndexes.filter(isLast)), ...migrations]);
}

/** Everything that a statement has created, in that order, without what SQLite, libSQL and virtual tables create. */
async function readSchema(source: CopySource): Promise<SchemaObject[]> {
  const rows = await source.all(
    'select type, name, tbl_name, sql from sqlite_master where sql is not null order by rowid',
  );
  const all = rows.map(([type, name, table, sql]) => ({
    type: textOf(type),
    name: textOf(name),
    table: textOf(table),
    sql: textOf(sql),
  }));
  const virtual = all.filter(({ sql }) => isVirtual(sql)).map(({ name }) => name);
  return all.filter(
    ({ name, table }) =>
      !/^(sqlite|libsql|_litestream)_/.test(name) &&
      !OF_SERVERS.has(name) &&
      !virtual.some((owner) => name.startsWith(`${owner}_`) && FTS5_TABLE.test(name) && table === name),
  );
}

function isVirtual(sql: string): boolean {
  return /^create virtual/i.test(sql);
}

/** SQLite stores the text of a statement without IF NOT EXISTS, also if it was created with it. */
function idempotent(sql: string): string {
  return sql.replace(/^create (unique index|virtual table|\w+)/i, '$& if not exists');
}

function textOf(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('The schema of the database cannot be read.');
  return value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function copyRows(
  source: CopySource,
  target: CopyTarget,
  table: string,
  onProgress: ProgressListener,
): Promise<void> {
  const [[count] = []] = await source.all(`select count(*) from ${quoted(table)}`);
  const totalRows = Number(count);
  let rows = 0;
  for await (const page of insertsOf(source, table)) {
    await target.write(page);
    rows += page.length;
    onProgress({ table, rows, totalRows });
  }
}

/** The statements that insert the rows of a table, page by page. */
async function* insertsOf(source: CopySource, table: string): AsyncGenerator<readonly InStatement[]> {
  const columns = await storedColumns(source, table);
  const names = ['rowid', ...columns];
  // Repeated, it replaces a row by itself.
  const insert = `insert or replace into ${quoted(table)} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
  for await (const page of pagesOf(source, table, columns)) yield page.map((row) => ({ sql: insert, args: [...row] }));
}

/** Quoted names of the columns that are stored, which generated ones are not. */
async function storedColumns(source: CopySource, table: string): Promise<string[]> {
  // The columns of the answer: cid, name, type, notnull, dflt_value, pk, hidden.
  const rows = await source.all(`pragma table_xinfo(${quoted(table)})`);
  return rows.filter((row) => Number(row[6]) === 0).map(([, name]) => quoted(textOf(name)));
}

/** Reads a table in pages of whole rows, in the order of their rowids, which come first. */
async function* pagesOf(
  source: CopySource,
  table: string,
  columns: readonly string[],
): AsyncGenerator<readonly (readonly Value[])[]> {
  const size = columns.map(sizeOf).join(' + ');
  const keys = `select rowid, ${size} from ${quoted(table)} where rowid > ? order by rowid limit ${PAGE_ROWS}`;
  const page = `select rowid, ${columns.join(', ')} from ${quoted(table)} where rowid > ? and rowid <= ? order by rowid`;
  for await (const { after, to, bytes } of rangesOf(source, keys)) {
    if (bytes <= PAGE_BYTES) yield await source.all(page, [after, to]);
    else yield [await readInPieces(source, table, columns, to)];
  }
}

interface Range {
  /** Rowid before the first row. */
  readonly after: bigint;
  /** Rowid of the last row. */
  readonly to: bigint;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Ranges of rows up to the size of a page, in order. A row that is larger has a range of its own.
 * @param keys query of the next rowids after a value, in order, with the sizes of their rows
 */
async function* rangesOf(source: CopySource, keys: string): AsyncGenerator<Range> {
  let last = FIRST_ROWID;
  for (;;) {
    const found = await source.all(keys, [last]);
    const ranges: Range[] = [];
    for (const [rowid, size] of found) {
      const to = rowid as bigint;
      const bytes = Number(size);
      const before = ranges.at(-1);
      if (before && before.bytes + bytes <= PAGE_BYTES)
        ranges.splice(-1, 1, { ...before, to, rows: before.rows + 1, bytes: before.bytes + bytes });
      else ranges.push({ after: last, to, rows: 1, bytes });
      last = to;
    }
    if (ranges.length === 0) return;
    yield* ranges;
  }
}

/** Size of a value in bytes, as SQL. */
function sizeOf(column: string): string {
  // Reads the header of a row, not its pictures.
  return `coalesce(octet_length(${column}), 0)`;
}

/** Reads a row that is larger than a page. */
async function readInPieces(
  source: CopySource,
  table: string,
  columns: readonly string[],
  rowid: bigint,
): Promise<readonly Value[]> {
  const small = columns.map((column) => `case when ${sizeOf(column)} <= ${SMALL_VALUE_BYTES} then ${column} end`);
  const facts = columns.flatMap((column) => [`typeof(${column})`, sizeOf(column)]);
  const of = `from ${quoted(table)} where rowid = ?`;
  const [values = []] = await source.all(`select ${small.join(', ')} ${of}`, [rowid]);
  const [found = []] = await source.all(`select ${facts.join(', ')} ${of}`, [rowid]);
  const row: Value[] = [rowid];
  for (const [index, column] of columns.entries()) {
    const size = Number(found[2 * index + 1]);
    if (size <= SMALL_VALUE_BYTES) {
      row.push(values[index] ?? null);
      continue;
    }
    const pieces: Buffer[] = [];
    for (let at = 0; at < size; at += PAGE_BYTES) {
      const piece = `select substr(cast(${column} as blob), ?, ?) ${of}`;
      const [[bytes] = []] = await source.all(piece, [BigInt(at + 1), BigInt(PAGE_BYTES), rowid]);
      pieces.push(Buffer.from(bytes as ArrayBuffer));
    }
    const whole = Buffer.concat(pieces);
    row.push(found[2 * index] === 'text' ? whole.toString('utf8') : (whole as unknown as ArrayBuffer));
  }
  return row;
}

/** Copies the highest numbers of AUTOINCREMENT, which are not given again after a deletion. */
async function copySequences(source: CopySource, target: CopyTarget): Promise<void> {
  const [known] = await source.all("select 1 from sqlite_master where name = 'sqlite_sequence'");
  if (!known) return;
  const rows = await source.all('select name, seq from sqlite_sequence');
  await target.write([
    'delete from sqlite_sequence',
    ...rows.map((row) => ({ sql: 'insert into sqlite_sequence (name, seq) values (?, ?)', args: [...row] })),
  ]);
}

/** Fills the full-text indexes from the copied rows, in the target itself: an index holds no text that could be read. */
async function fillSearchIndexes(
  source: CopySource,
  target: CopyTarget,
  hasTrigrams: boolean,
  onProgress: ProgressListener,
): Promise<void> {
  const [[count] = []] = await source.all('select count(*) from searchable_parts');
  const keys = `select s.id, coalesce(octet_length(p.content), 0) from searchable_parts s left join message_parts p on p.id = s.part_id where s.id > ? order by s.id limit ${INDEXED_ROWS}`;
  let rows = 0;
  // Large texts are indexed by themselves, so that no statement outlasts the server's limits.
  for await (const { after, to, rows: added } of rangesOf(source, keys)) {
    await target.write([
      { sql: `delete from ${SEARCH_INDEX} where rowid > ? and rowid <= ?`, args: [after, to] },
      {
        sql: `insert into ${SEARCH_INDEX} (rowid, session, text) select s.id, t.session_id, t.text from searchable_parts s join part_texts t on t.part_id = s.part_id where s.id > ? and s.id <= ?`,
        args: [after, to],
      },
      ...(hasTrigrams ? fillTrigrams(after, to) : []),
    ]);
    rows += added;
    onProgress({ table: SEARCH_INDEX, rows, totalRows: Number(count) });
  }
}

/** Statements that fill the index of trigrams for rows after `after`, up to `to`. */
function fillTrigrams(after: InValue, to: InValue): InStatement[] {
  return [
    { sql: `delete from ${TRIGRAM_INDEX} where rowid > ? and rowid <= ?`, args: [after, to] },
    {
      sql: `insert into ${TRIGRAM_INDEX} (rowid, session, text) select s.id, t.session_mark, t.text from searchable_parts s join ${UNSPACED_TEXTS} t on t.part_id = s.part_id where s.id > ? and s.id <= ?`,
      args: [after, to],
    },
  ];
}
