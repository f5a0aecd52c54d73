import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** The absolute path of something in the project, given relative to its root. */
export function projectPath(path: string): string {
  return join(root, path);
}
