import { statSync } from 'node:fs';
import { InvalidInputError, StoreUnavailableError } from '#server/core/errors';

/**
 * The path of an embedded database: of `file:data/x.db`, `file:/data/x.db` and `file:///data/x.db`.
 * @throws InvalidInputError for a database on a server
 */
export function databaseFileOf(url: string): string {
  if (!url.startsWith('file:')) {
    throw new InvalidInputError('This is for embedded database files; a database server has backups of its own.');
  }
  return decodeURIComponent(url.replace(/^file:(\/\/(?=\/))?/, ''));
}

/**
 * Remembers which file lies at a path. What is written to a file that was deleted or replaced since is lost when its last
 * connection closes, and SQLite does not notice.
 */
export function rememberFile(path: string): { readonly isSame: () => boolean; readonly requireSame: () => void } {
  const opened = identityOf(path);
  const isSame = () => identityOf(path) === opened;
  const requireSame = () => {
    if (isSame()) return;
    throw new StoreUnavailableError(
      'The database file was deleted or replaced: it is not the one that this server opened. Nothing was written. Put it back or restore a backup, then restart the server.',
      // Only the log tells where it lies.
      { cause: new Error(`Another file, or none, is at ${path}`) },
    );
  };
  return { isSame, requireSame };
}

/** Null where there is no file. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
