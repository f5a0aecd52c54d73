import type { Stats } from 'node:fs';
import { chmod, chown, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { openDatabase } from '#server/store/database';
import { FileClient } from '#server/store/file-client';
import { databaseFileOf, isBusy } from '#server/store/file-connection';

/** Its owner alone reads it: it holds conversations, and the hashes of passwords and keys. */
const PRIVATE = 0o600;

export interface BackUp {
  readonly bytes: number;
  /** The copy of the key that stored secrets are sealed with; null where AUTH_SECRET is their key, or there is none. */
  readonly keyFile: string | null;
}

/**
 * Copies an embedded database as it is at one moment into a new file, also while servers read and write it: SQLite's
 * `VACUUM INTO` reads in one transaction, so the copy is whole, without its free pages and with nothing beside it but
 * the key of its secrets, where that is a file.
 * @param url of the database, `file:…`
 * @throws InvalidInputError for a database on a server, ConflictError where the target exists
 */
export async function backUpDatabase(url: string, target: string): Promise<BackUp> {
  const source = databaseFileOf(url);
  await requireFile(source, 'database');
  for (const file of [target, keyOf(target)]) {
    const found = await find(file);
    if (found?.isDirectory()) throw new ConflictError(`${file} is a folder. Name a new file in it.`);
    if (found) throw new ConflictError(`There is a file ${file} already. Choose another name.`);
  }
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { force: true });
  try {
    await within(source, (client) => client.execute({ sql: 'VACUUM INTO ?', args: [unfinished] }));
    await requireSound(unfinished, `The database ${source}`);
    await chmod(unfinished, PRIVATE);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { bytes: (await stat(target)).size, keyFile: await copyKey(source, target) };
}

export interface RestoredDatabase {
  /** New path of the database that was there before; null: there was none. */
  readonly keptAs: string | null;
}

/**
 * Puts a backup in the place of the embedded database, which is kept beside it, and gives it to the same owner; where
 * there is none, to that of its folder. A key that lies beside the backup comes along; the one that was there stays with
 * what it was the key of. The backup is checked, and brought to the newest schema as a copy, before anything is moved.
 * @param now for the name of what is kept; epoch milliseconds
 * @throws InvalidInputError (no backup of ours, a damaged one), ConflictError while a server has the database open;
 * nothing is changed then
 */
export async function restoreDatabase(
  url: string,
  backup: string,
  options: { readonly migrationsFolder: string; readonly now: number },
): Promise<RestoredDatabase> {
  const target = databaseFileOf(url);
  await requireFile(backup, 'backup');
  const incoming = `${target}.incoming`;
  await makeFolder(dirname(target));
  await removeDatabase(incoming);
  const owner = (await find(target)) ?? (await stat(dirname(target)));
  try {
    await copyFile(backup, incoming);
    await requireSound(incoming, `The file ${backup}`);
    const copy = `file:${encodeURIComponent(incoming)}`;
    const database = await openDatabase({ url: copy, migrationsFolder: options.migrationsFolder });
    await database.close();
    await give(owner, incoming);
    const keptAs = (await exists(target)) ? await setAside(target, options.now) : null;
    await rename(incoming, target);
    await copyKey(backup, target);
    await give(owner, keyOf(target));
    if (keptAs !== null) await give(owner, keyOf(keptAs));
    return { keptAs };
  } finally {
    await removeDatabase(incoming);
  }
}

/** Makes a folder, and those above it that are missing, for the owner of the one that they are in. */
async function makeFolder(folder: string): Promise<void> {
  if ((await find(folder)) !== null) return;
  await makeFolder(dirname(folder));
  await mkdir(folder, { recursive: true });
  await give(await stat(dirname(folder)), folder);
}

/**
 * Only root can give a file away, and has to: a server that runs as somebody else could not open what root has made. Not
 * where the file system knows no owners, as a share of another machine.
 */
async function give({ uid, gid }: Stats, file: string): Promise<void> {
  const found = process.getuid?.() === 0 ? await find(file) : null;
  if (found === null || (found.uid === uid && found.gid === gid)) return;
  await chown(file, uid, gid).catch((error: unknown) => {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|EINVAL)$/.test(codeOf(error))) throw error;
  });
}

/** Path at which the key file of a database's secrets would be. */
function keyOf(file: string): string {
  return `${file}.key`;
}

/** Null where there is none. */
async function copyKey(from: string, to: string): Promise<string | null> {
  const [source, target] = [keyOf(from), keyOf(to)];
  if (!(await exists(source))) return null;
  await copyFile(source, target);
  await chmod(target, PRIVATE);
  return target;
}

/** @throws ConflictError while somebody has it open */
async function setAside(file: string, now: number): Promise<string> {
  await requireUnused(file);
  const keptAs = `${file}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  // Of a damaged one what lies beside it may be all that can be read.
  for (const ending of PARTS) if (await exists(file + ending)) await rename(file + ending, keptAs + ending);
  await copyKey(file, keptAs);
  return keptAs;
}

/** Codes of SQLite for a file that is no database any more, or a damaged one. */
const DAMAGED = /^SQLITE_(NOTADB|CORRUPT)/;

/**
 * Leaving WAL mode takes a lock that nobody gets while another connection is open; it also empties the WAL. A damaged
 * database cannot be asked for a lock, and has to be restored all the same: a server that has it open writes nothing to
 * the one in its place.
 */
async function requireUnused(file: string): Promise<void> {
  try {
    await within(file, (client) => client.execute('PRAGMA journal_mode = DELETE'));
  } catch (error) {
    if (DAMAGED.test(codeOf(error))) return;
    if (!isBusy(error)) throw error;
    throw new ConflictError('A server has the database open. Stop it, restore, and start it again.');
  }
}

/** Code of an error of SQLite or of the file system; empty where it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * @param called what a person knows it as: it is a copy
 * @throws InvalidInputError where it is no database, a damaged one, or not one of Throughline
 */
async function requireSound(file: string, called: string): Promise<void> {
  const problem = await within(file, async (client) => {
    const { rows } = await client.execute('PRAGMA integrity_check');
    const [first] = rows;
    if (first?.[0] !== 'ok') return 'is damaged';
    const tables = await client.execute(
      "SELECT name FROM sqlite_master WHERE name IN ('sessions', '__drizzle_migrations')",
    );
    return tables.rows.length === 2 ? null : 'is not a database of Throughline';
  }).catch((error: unknown) => {
    if (codeOf(error).startsWith('SQLITE_')) return 'is damaged, or no database';
    throw error;
  });
  if (problem !== null) throw new InvalidInputError(`${called} ${problem}.`);
}

async function within<T>(file: string, work: (client: FileClient) => Promise<T>): Promise<T> {
  const client = new FileClient(file);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

async function requireFile(file: string, what: string): Promise<void> {
  if (!(await exists(file))) throw new InvalidInputError(`There is no ${what} ${file}.`);
}

async function exists(file: string): Promise<boolean> {
  return (await find(file))?.isFile() ?? false;
}

/** Null where there is nothing. @throws where it cannot be looked up, in a folder that is somebody else's for instance */
async function find(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(codeOf(error))) return null;
    throw error;
  }
}

/** Endings of the files that a database is made of. */
const PARTS = ['', '-wal', '-shm', '-journal'];

async function removeDatabase(file: string): Promise<void> {
  for (const ending of PARTS) await rm(file + ending, { force: true });
}
