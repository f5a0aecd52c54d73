import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', 'app');

/** Every `METHOD /path` that the app's API has, read from its route files; not what answers where there is none. */
export function findApiRoutes(): string[] {
  return routesOf('api/**/route.ts').filter((name) => !name.endsWith(' /api/[...path]'));
}

/** The same of everything that answers requests and is no page: the API, the endpoint for other programs, pictures. */
export function findAllRoutes(): string[] {
  return routesOf('**/route.ts');
}

/** The path of every page. */
export function findPages(): string[] {
  return globSync('**/page.tsx', { cwd: root }).map((file) => pathOf(file.replace(/\/?page\.tsx$/, '')));
}

function routesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const methods = source.matchAll(
      /(?:export (?:const|(?:async )?function) |\bas )(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/g,
    );
    return Array.from(methods, ([, method]) => `${method} ${pathOf(file.replace(/\/route\.ts$/, ''))}`);
  });
}

/** Without the folders that only group files. */
function pathOf(folder: string): string {
  const names = folder.split('/').filter((name) => name !== '' && !/^\(.*\)$/.test(name));
  return `/${names.join('/')}`;
}
