import { InvalidInputError } from '#server/core/errors';

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
