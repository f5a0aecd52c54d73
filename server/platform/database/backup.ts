import type { Stats } from 'node:fs';
import { chmod, chown, copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { openDatabase } from '#server/platform/database/database';
import { FileClient } from '#server/platform/database/file-client';
import { databaseFileOf, isBusy } from '#server/platform/database/file-connection';

/** File mode of a backup: only its owner may read conversations, and the hashes of passwords and keys. */
export const PRIVATE_MODE = 0o600;

/** A backup that was written. */
export interface Backup {
  /** Size of the copy. */
  readonly bytes: number;
  /** Path of the copied key that encrypts stored secrets; null if AUTH_SECRET is the key, or if none exists. */
  readonly keyFile: string | null;
}

/**
 * Copies an embedded database at one point in time into a new file, also while servers read and write it: SQLite's
 * `VACUUM INTO` reads in one transaction. The copy is complete, without free pages, and a single file; the key file of
 * its secrets, if there is one, is copied next to it.
 * @param url of the database, `file:…`
 * @param options.withKey false: the key file is not copied
 * @throws InvalidInputError for a database on a server, ConflictError if the target exists
 */
export async function backUpDatabase(url: string, target: string, { withKey = true } = {}): Promise<Backup> {
  const source = databaseFileOf(url);
  await requireFile(source, 'database');
  await requireNoFile(target);
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { force: true });
  try {
    await withClient(source, (client) => client.execute({ sql: 'VACUUM INTO ?', args: [unfinished] }));
    await requireSound(unfinished, `The database ${source}`);
    await chmod(unfinished, PRIVATE_MODE);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { bytes: (await stat(target)).size, keyFile: withKey ? await copyKey(source, target) : null };
}

/** @throws ConflictError if there is a file at a path, or a key file next to it */
export async function requireNoFile(target: string): Promise<void> {
  for (const file of [target, keyOf(target)]) {
    const found = await findFile(file);
    if (found?.isDirectory()) throw new ConflictError(`${file} is a folder. Name a new file in it.`);
    if (found) throw new ConflictError(`There is a file ${file} already. Choose another name.`);
  }
}

/** The result of a restore. */
export interface RestoredDatabase {
  /** New path of the previous database; null if none existed. */
  readonly keptAs: string | null;
}

/**
 * Replaces the embedded database by a backup. The previous database is kept next to it. The backup gets the same owner
 * as the previous database or, if none existed, the owner of its folder. A key file next to the backup is copied too;
 * the previous key file stays with the previous database. The backup is checked, and a copy is migrated to the newest
 * schema, before anything is moved.
 * @param now for the name of the kept database; epoch milliseconds
 * @throws InvalidInputError (not one of our backups, or damaged), ConflictError while a server has the database open;
 * then nothing is changed
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
  const owner = (await findFile(target)) ?? (await stat(dirname(target)));
  try {
    await copyFile(backup, incoming);
    await requireSound(incoming, `The file ${backup}`);
    const copy = `file:${encodeURIComponent(incoming)}`;
    const database = await openDatabase({ url: copy, migrationsFolder: options.migrationsFolder });
    await database.close();
    await setOwner(owner, incoming);
    const keptAs = (await exists(target)) ? await setAside(target, options.now) : null;
    await rename(incoming, target);
    await copyKey(backup, target);
    await setOwner(owner, keyOf(target));
    if (keptAs !== null) await setOwner(owner, keyOf(keptAs));
    return { keptAs };
  } finally {
    await removeDatabase(incoming);
  }
}

/** Creates a folder, and its missing parents, with the owner of the existing parent. */
async function makeFolder(folder: string): Promise<void> {
  if ((await findFile(folder)) !== null) return;
  await makeFolder(dirname(folder));
  await mkdir(folder, { recursive: true });
  await setOwner(await stat(dirname(folder)), folder);
}

/**
 * Gives a file the owner of another one, if this process runs as root: a server that runs as another user could not open a
 * file made by root. Skipped if the file system has no owners, for example a network share.
 */
async function setOwner({ uid, gid }: Stats, file: string): Promise<void> {
  const found = process.getuid?.() === 0 ? await findFile(file) : null;
  if (found === null || (found.uid === uid && found.gid === gid)) return;
  await chown(file, uid, gid).catch((error: unknown) => {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|EINVAL)$/.test(codeOf(error))) throw error;
  });
}

/** Path at which a database's key file is, if there is one. */
function keyOf(file: string): string {
  return `${file}.key`;
}

/** Copies the key file of a database. @returns its new path; null if there is none */
export async function copyKey(from: string, to: string): Promise<string | null> {
  const [source, target] = [keyOf(from), keyOf(to)];
  if (!(await exists(source))) return null;
  await copyFile(source, target);
  await chmod(target, PRIVATE_MODE);
  return target;
}

/** Renames a database with its key. @returns the new path @throws ConflictError while another process has it open */
async function setAside(file: string, now: number): Promise<string> {
  const keptAs = `${file}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  // SQLite removes the log of a damaged database when it is opened and closed, and the log may be all that can be read.
  const logs = FILE_SUFFIXES.filter((suffix) => suffix !== '');
  for (const suffix of logs) if (await exists(file + suffix)) await keepUnder(file + suffix, keptAs + suffix);
  let isDamaged = false;
  try {
    isDamaged = await requireUnused(file);
  } finally {
    if (!isDamaged) for (const suffix of logs) await rm(keptAs + suffix, { force: true });
  }
  for (const suffix of FILE_SUFFIXES) {
    if (!(await exists(file + suffix))) continue;
    // Renaming a file to its own second name does nothing, and a log beside another database would be read into that.
    if (await exists(keptAs + suffix)) await rm(file + suffix);
    else await rename(file + suffix, keptAs + suffix);
  }
  await copyKey(file, keptAs);
  return keptAs;
}

/**
 * Gives a file a second name, so that it stays when its first name is removed. A copy where the file system has no second
 * names: the log of a database may be as large as the database itself.
 */
async function keepUnder(file: string, name: string): Promise<void> {
  await link(file, name).catch(() => copyFile(file, name));
}

/** SQLite's error codes for a file that is not a database, or a damaged one. */
const DAMAGED = /^SQLITE_(NOTADB|CORRUPT)/;

/**
 * Checks that no other process has a database open: leaving WAL mode takes a lock that cannot be obtained then. This also
 * empties the WAL. A damaged database cannot be locked, but must be replaceable nevertheless; a server that has it open
 * writes nothing to its replacement.
 * @returns true for a damaged database
 */
async function requireUnused(file: string): Promise<boolean> {
  try {
    await withClient(file, (client) => client.execute('PRAGMA journal_mode = DELETE'));
    return false;
  } catch (error) {
    if (DAMAGED.test(codeOf(error))) return true;
    if (!isBusy(error)) throw error;
    throw new ConflictError('A server has the database open. Stop it, restore, and start it again.');
  }
}

/** Code of an error of SQLite or of the file system; empty if it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Checks that a file is an undamaged database of ours.
 * @param called name of the file for the error: `file` itself may be a copy that the user does not know
 * @throws InvalidInputError if it is not a database, is damaged, or is not one of Throughline
 */
export async function requireSound(file: string, called: string): Promise<void> {
  const problem = await withClient(file, async (client) => {
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

async function withClient<T>(file: string, work: (client: FileClient) => Promise<T>): Promise<T> {
  const client = new FileClient(file);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** @throws InvalidInputError if there is no file at a path */
export async function requireFile(file: string, what: string): Promise<void> {
  if (!(await exists(file))) throw new InvalidInputError(`There is no ${what} ${file}.`);
}

async function exists(file: string): Promise<boolean> {
  return (await findFile(file))?.isFile() ?? false;
}

/** Null if nothing exists at the path. @throws if the lookup fails, for example in a folder of another user */
export async function findFile(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(codeOf(error))) return null;
    throw error;
  }
}

/** Suffixes of the files of one SQLite database. */
const FILE_SUFFIXES = ['', '-wal', '-shm', '-journal'];

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of FILE_SUFFIXES) await rm(file + suffix, { force: true });
}
