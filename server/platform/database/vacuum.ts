import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { FileClient } from '#server/platform/database/file-client';
import { SEARCH_INDEXES } from '#server/platform/database/migrations';
import { databaseFileOf, isBusy } from '#server/platform/database/file-connection';

/** Disk space for a vacuum; sizes in bytes. */
export interface VacuumSpace {
  /** Size of the database file. */
  readonly size: number;
  /**
   * Space that a vacuum may need: twice the database size: SQLite writes the database to a temporary file and from there to the log
   * (sqlite.org, VACUUM).
   */
  readonly needed: number;
  /** Free space on the disk of the database. */
  readonly free: number;
}

/** Measures the space that a vacuum needs and has. @throws InvalidInputError if the file does not exist, or the database is on a server */
export async function spaceForVacuum(url: string): Promise<VacuumSpace> {
  const file = databaseFileOf(url);
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new InvalidInputError(`There is no database ${file}.`);
  const { bavail, bsize } = await statfs(dirname(file));
  return { size: found.size, needed: found.size * 2, free: bavail * bsize };
}

/**
 * Rewrites the embedded database, so that neither free pages nor the search index contain deleted text.
 * @param space measured before; default: measured now
 * @throws InvalidInputError without enough disk space, ConflictError while a server reads or writes
 */
export async function vacuumDatabase(url: string, space?: VacuumSpace): Promise<void> {
  const { needed, free } = space ?? (await spaceForVacuum(url));
  if (free < needed)
    throw new InvalidInputError(
      `There is not enough disk space: ${needed.toLocaleString('en-US')} bytes are needed, ${free.toLocaleString('en-US')} are free.`,
    );
  const client = new FileClient(databaseFileOf(url));
  try {
    // The indexes only mark deleted texts. Their words are removed when the parts of an index are merged.
    for (const name of SEARCH_INDEXES) await client.execute(`INSERT INTO ${name}(${name}) VALUES ('optimize')`);
    await client.execute('VACUUM');
    const { rows } = await client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    if (rows[0]?.[0] === 1) throw new ConflictError(IN_USE);
  } catch (error) {
    throw isBusy(error) ? new ConflictError(IN_USE) : error;
  } finally {
    client.close();
  }
}

const IN_USE = 'A server reads or writes the database. Stop it, run the command again, and start the server.';
