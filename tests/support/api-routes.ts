import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', 'app');

/** Every `METHOD /path` that the app's API has, read from its route files. */
export function findApiRoutes(): string[] {
  return globSync('api/**/route.ts', { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const methods = source.matchAll(/export (?:const|(?:async )?function) (GET|POST|PUT|PATCH|DELETE)\b/g);
    return Array.from(methods, ([, method]) => `${method} /${file.replace(/\/route\.ts$/, '')}`);
  });
}
