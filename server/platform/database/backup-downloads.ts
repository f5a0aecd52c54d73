import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
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

/** The file of a copy in its folder, and its name while it is written. */
const COPY = 'copy.db';
const UNFINISHED = 'unfinished.db';

/** A copy that waits for its download. */
interface PreparedBackup {
  readonly id: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A finished copy on the disk. */
interface StoredCopy {
  /** Name for the downloaded file, without its ending. */
  readonly name: string;
  readonly bytes: number;
  readonly file: string;
}

/**
 * Copies of the embedded database for administrators to download, one at a time. A copy is deleted when it was read to its
 * end, when the next one is made, after ten minutes, and when the server that made it ends. The folders next to the database
 * say which copies there are, so every process on the file can send them, and remove those that a killed process left.
 */
export class BackupDownloads {
  readonly #url: string;
  readonly #now: () => number;
  readonly #cleanings = new Set<NodeJS.Timeout>();
  #own: string | null = null;
  #isBusy = false;

  /** @param url of the database */
  constructor(url: string, { now }: Clock) {
    this.#url = url;
    this.#now = now;
  }

  /** Removes copies that a killed process left, now and when they have expired. */
  async start(): Promise<void> {
    if (this.#folder === null) return;
    // A folder that cannot be listed must not keep the server from starting.
    await this.#removeCopies().catch(() => undefined);
    this.#cleanLater();
  }

  /**
   * Makes a copy of the database at one moment, while the server runs.
   * @param signal stops it
   * @throws ConflictError for a database on a server, while another copy is made, and without enough disk space
   */
  async prepare(signal: AbortSignal): Promise<PreparedBackup> {
    if (this.#folder === null) throw new ConflictError(serverText('backup-on-server'));
    if (this.#isBusy) throw new ConflictError(serverText('backup-is-running'));
    this.#isBusy = true;
    const id = createId('bak');
    const folder = this.#folderOf(id);
    try {
      await this.#removeCopies({ withFinished: true });
      await requireSpace(databaseFileOf(this.#url));
      await mkdir(folder, { mode: 0o700 });
      await this.#run(join(folder, UNFINISHED), signal);
      const file = join(folder, COPY);
      await rename(join(folder, UNFINISHED), file);
      const now = this.#now();
      // The time of the file says when the copy expires, to every process.
      await utimes(file, now / 1_000, now / 1_000);
      this.#own = id;
      this.#cleanLater();
      return { id, bytes: (await stat(file)).size, expiresAt: now + KEPT_MS };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  /** A copy that waits. @throws NotFoundError */
  async find(id: string): Promise<StoredCopy> {
    const file = this.#folder === null ? null : join(this.#folderOf(id), COPY);
    const found = file && (await stat(file).catch(() => null));
    if (!file || !found || this.#isExpired(found.mtimeMs)) throw new NotFoundError('backup', id);
    const time = new Date(found.mtimeMs).toISOString().slice(0, 16).replace(':', '-');
    return { name: `throughline-${time}`, bytes: found.size, file };
  }

  /** The content of a copy, which is deleted when all of it was read. @throws NotFoundError */
  async read(id: string): Promise<ReadableStream<Uint8Array>> {
    const { file } = await this.find(id);
    const handle = await open(file);
    const stream = handle.createReadStream();
    stream.once('end', () => void this.#remove(this.#folderOf(id)));
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  }

  /** Deletes the copy that this process made, if there is one. A download that has begun continues. */
  async close(): Promise<void> {
    for (const timer of this.#cleanings) clearTimeout(timer);
    if (this.#own !== null) await this.#remove(this.#folderOf(this.#own));
    this.#own = null;
  }

  /** Folder of the database file, and of the folders of copies; null for a database on a server. */
  get #folder(): string | null {
    return this.#url.startsWith('file:') ? dirname(databaseFileOf(this.#url)) : null;
  }

  #folderOf(id: string): string {
    return join(this.#folder ?? '', `${FOLDER_PREFIX}${id}`);
  }

  #isExpired(mtimeMs: number): boolean {
    return mtimeMs + KEPT_MS <= this.#now();
  }

  /** Removes expired copies, and unfinished ones to which nothing was written for that long. */
  async #removeCopies({ withFinished = false } = {}): Promise<void> {
    const names = await readdir(/* turbopackIgnore: true */ this.#folder ?? '');
    for (const name of names.filter((each) => each.startsWith(FOLDER_PREFIX))) {
      const folder = join(this.#folder ?? '', name);
      const finished = await stat(join(folder, COPY)).catch(() => null);
      const newest = finished ?? (await stat(join(folder, UNFINISHED)).catch(() => stat(folder).catch(() => null)));
      const isDue = newest !== null && this.#isExpired(newest.mtimeMs);
      if (isDue || (withFinished && finished)) await this.#remove(folder);
    }
  }

  #cleanLater(): void {
    const timer = setTimeout(() => {
      this.#cleanings.delete(timer);
      void this.#removeCopies().catch(() => undefined);
    }, KEPT_MS + 1_000).unref();
    this.#cleanings.add(timer);
  }

  async #remove(folder: string): Promise<void> {
    // Windows keeps the folder of an open file; the next cleaning removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
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

/** @throws ConflictError if a copy would fill the disk, on which the server writes, too */
async function requireSpace(source: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(source), statfs(dirname(source))]);
  if (bavail * bsize < size + SPARE_BYTES) throw new ConflictError(serverText('backup-no-space'));
}
