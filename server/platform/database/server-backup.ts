import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInputError } from '#server/core/errors';
import {
  type Backup,
  copyKey,
  findFile,
  PRIVATE_MODE,
  requireFile,
  requireNoFile,
  requireSound,
} from '#server/platform/database/backup';
import {
  openFileSource,
  openFileTarget,
  openServerSource,
  openServerTarget,
} from '#server/platform/database/copy-connections';
import { copyDatabase, type ProgressListener } from '#server/platform/database/copy-database';
import { type Database, openDatabase } from '#server/platform/database/database';
import type { ServerAddress } from '#server/platform/database/remote-connection';

/**
 * Copies a database on a server at one moment in time into a new file, also while instances use it, and changes nothing
 * there. The file is like the backup of an embedded database; its secrets stay encrypted with AUTH_SECRET.
 * @throws ConflictError if the target exists, InvalidInputError if the server holds no database of Throughline
 */
export async function backUpServer(
  address: ServerAddress,
  target: string,
  onProgress: ProgressListener,
): Promise<Backup> {
  await requireNoFile(target);
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { force: true });
  const source = openServerSource(address);
  try {
    const file = openFileTarget(unfinished);
    try {
      await chmod(unfinished, PRIVATE_MODE);
      await copyDatabase(source, file, onProgress);
    } finally {
      await file.close();
    }
    await requireSound(unfinished, 'The copy of the database server');
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await source.close().catch(() => {});
  }
  return { bytes: (await stat(target)).size, keyFile: null };
}

/** How a backup is brought to a server. */
export interface RestoreToServerOptions {
  readonly migrationsFolder: string;
  /**
   * Called with a copy of the backup, of the newest schema, before anything is sent: for example to encrypt its secrets
   * for the server. A key file of the backup is next to the copy.
   */
  readonly prepare: (copy: Database) => Promise<void>;
  readonly onProgress: ProgressListener;
}

/**
 * Fills an empty database server from a backup. Makes a copy beside the backup, which it deletes again. If it is interrupted, the server holds a part, which no instance accepts
 * as a database.
 * @throws InvalidInputError (not one of our backups, or damaged), ConflictError if the server is not empty; then
 * nothing is changed
 */
export async function restoreToServer(
  address: ServerAddress,
  backup: string,
  { migrationsFolder, prepare, onProgress }: RestoreToServerOptions,
): Promise<void> {
  await requireFile(backup, 'backup');
  await requireCheckpointed(backup);
  const target = await openServerTarget(address);
  // Beside the backup, because a temporary folder may be too small, or in memory. Only its owner may read it.
  const folder = await mkdtemp(join(dirname(backup), '.restore-')).catch(async (error: unknown) => {
    await target.close();
    throw new InvalidInputError(
      `The folder of ${backup} cannot be written: ${(error as Error).message}. The restore makes a copy there: put the backup into another folder.`,
    );
  });
  try {
    const copy = join(folder, 'copy.db');
    await copyFile(backup, copy);
    await requireSound(copy, `The file ${backup}`);
    await copyKey(backup, copy);
    const database = await openDatabase({ url: `file:${encodeURIComponent(copy)}`, migrationsFolder });
    try {
      await prepare(database);
    } finally {
      await database.close();
    }
    const source = openFileSource(copy);
    try {
      // An instance may have started on the server meanwhile.
      await target.requireEmpty();
      await copyDatabase(source, target, onProgress);
    } finally {
      await source.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await target.close();
  }
}

/** @throws InvalidInputError for a database in use, or left by a crash: a part of it is in its write-ahead log */
async function requireCheckpointed(file: string): Promise<void> {
  const log = await findFile(`${file}-wal`);
  if (log !== null && log.size > 0)
    throw new InvalidInputError(
      `The file ${file} is a database whose newest changes are still in ${file}-wal. Run npm run backup, and restore its file.`,
    );
}
