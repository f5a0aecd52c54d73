import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '#server/core/process';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { serverText } from '#server/core/messages/server-text';
import { databaseFileOf } from '#server/platform/database/file-connection';

/** Time for which a copy waits for its download; milliseconds. A choice: a person clicks at once. */
const KEPT_MS = 10 * 60_000;

/** Start of the names of the folders for copies, next to the database. */
const FOLDER_PREFIX = '.backup-download-';

/** Free space that a copy leaves on the disk, so that the server can still write; bytes. */
const SPARE_BYTES = 100_000_000;

/** The program that makes a copy: in this process it would block everything until it is done. */
const PROGRAM = 'scripts/backup.ts';

/** A copy that waits for its download. */
interface PreparedBackup {
  readonly id: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface StoredCopy extends PreparedBackup {
  /** Name for the downloaded file, without its ending. */
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  readonly expiry: NodeJS.Timeout;
}

/**
 * Copies of the embedded database for administrators to download, one at a time. A copy is deleted when it was read to its
 * end, when the next one is made, after ten minutes, and when the server ends.
 */
export class BackupDownloads {
  readonly #url: string;
  readonly #now: () => number;
  #copy: StoredCopy | null = null;
  #isBusy = false;

  /** @param url of the database */
  constructor(url: string, { now }: Clock) {
    this.#url = url;
    this.#now = now;
  }

  /**
   * Makes a copy of the database at one moment, while the server runs.
   * @param signal stops it
   * @throws ConflictError for a database on a server, while another copy is made, and without enough disk space
   */
  async prepare(signal: AbortSignal): Promise<PreparedBackup> {
    if (!this.#url.startsWith('file:')) throw new ConflictError(serverText('backup-on-server'));
    if (this.#isBusy) throw new ConflictError(serverText('backup-is-running'));
    this.#isBusy = true;
    try {
      const source = databaseFileOf(this.#url);
      await this.close();
      await removeLeftovers(dirname(source));
      await requireSpace(source);
      const folder = await mkdtemp(join(dirname(source), FOLDER_PREFIX));
      try {
        const file = join(folder, 'copy.db');
        await this.#run(file, signal);
        const { size: bytes } = await stat(file);
        const expiry = setTimeout(() => void this.close(), KEPT_MS).unref();
        const now = this.#now();
        const copy = { id: createId('bak'), bytes, expiresAt: now + KEPT_MS };
        const name = `throughline-${new Date(now).toISOString().slice(0, 16).replace(':', '-')}`;
        this.#copy = { ...copy, name, folder, file, expiry };
        return copy;
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    } finally {
      this.#isBusy = false;
    }
  }

  /** A copy that waits. @throws NotFoundError */
  find(id: string): Pick<StoredCopy, 'name' | 'bytes'> {
    const copy = this.#copy;
    if (copy?.id !== id) throw new NotFoundError('backup', id);
    return copy;
  }

  /** The content of a copy, which is deleted when all of it was read. @throws NotFoundError */
  async read(id: string): Promise<ReadableStream<Uint8Array>> {
    const copy = this.#copy;
    if (copy?.id !== id) throw new NotFoundError('backup', id);
    const handle = await open(copy.file);
    const stream = handle.createReadStream();
    stream.once('end', () => {
      if (this.#copy === copy) void this.close();
    });
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  }

  /** Deletes the copy, if there is one. A download that has begun continues. */
  async close(): Promise<void> {
    const copy = this.#copy;
    this.#copy = null;
    if (!copy) return;
    clearTimeout(copy.expiry);
    // Windows keeps the folder of an open file; the next copy removes it.
    await rm(copy.folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #run(file: string, signal: AbortSignal): Promise<void> {
    const program = resolve(/* turbopackIgnore: true */ PROGRAM);
    const child = spawn(/* turbopackIgnore: true */ process.execPath, [program, '--for-download', file], {
      env: { ...process.env, DATABASE_URL: this.#url },
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
      signal,
    });
    let output = '';
    child.stderr.on('data', (bytes: Buffer) => (output = (output + bytes.toString('utf8')).slice(-1_000)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`The backup ended with exit code ${String(code)}: ${output.trim()}`);
  }
}

/** Removes copies that a server left when it was killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((each) => each.startsWith(FOLDER_PREFIX)))
    await rm(join(folder, name), { recursive: true, force: true });
}

/** @throws ConflictError if a copy would fill the disk, on which the server writes, too */
async function requireSpace(source: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(source), statfs(dirname(source))]);
  if (bavail * bsize < size + SPARE_BYTES) throw new ConflictError(serverText('backup-no-space'));
}
