import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { projectPath } from '#scripts/lib/project';

/** An address of the app, as Next writes it: `/api/sessions/[id]`. */
interface Route {
  readonly path: string;
  /** `page`: rendered for who asks. `route`: a handler of ours. `file`: served as it is. */
  readonly kind: 'page' | 'route' | 'file';
  /** The methods that it answers. */
  readonly allow: readonly string[];
}

/** Finds what answers at an address. */
export interface RouteTable {
  /** @param path decoded. @returns null where there is nothing: a page says so, rendered for who asks */
  at(path: string): Pick<Route, 'kind' | 'allow'> | null;
}

const FILE = projectPath('.next/route-table.json');
const READ = ['GET', 'HEAD'];
const METHOD = /(?:export (?:const|(?:async )?function) |\bas )(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/g;

/** Reads what there is from the sources: pages, routes with what they export, and files. */
export function readRoutes(): Route[] {
  const found = (pattern: string, folder: string) => globSync(pattern, { cwd: projectPath(folder) });
  const pages = found('**/page.tsx', 'app').map((file) => ({ path: pathOf(file), kind: 'page' as const, allow: READ }));
  const routes = found('**/route.ts', 'app').map((file) => {
    const source = readFileSync(projectPath(`app/${file}`), 'utf8');
    const own = Array.from(source.matchAll(METHOD), ([, method = '']) => method);
    // Next answers these two by itself.
    const allow = [...new Set([...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])];
    return { path: pathOf(file), kind: 'route' as const, allow };
  });
  const files = ['favicon.ico', 'icon.svg', '_next/static/[...path]', ...found('**/*.*', 'public')].map((file) => ({
    path: `/${file}`,
    kind: 'file' as const,
    allow: READ,
  }));
  return [...pages, ...routes, ...files];
}

/** Without the folders that only group files, and the file itself. */
function pathOf(file: string): string {
  const names = file.split('/').slice(0, -1);
  return `/${names.filter((name) => !/^\(.*\)$/.test(name)).join('/')}`;
}

/** Keeps the table with the build that it is about. */
export function writeRouteTable(): void {
  writeFileSync(FILE, JSON.stringify(readRoutes()));
}

/** The table of the build; of the sources where an older version made that. */
export function builtRouteTable(): RouteTable {
  return createRouteTable(existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Route[]) : readRoutes());
}

/** Makes the table. If several routes match a path, the one with the earliest literal segment wins, as in Next. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const entries = routes
    .map(({ path, kind, allow }) => ({ order: orderOf(path), pattern: patternOf(path), found: { kind, allow } }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
  return { at: (path) => entries.find(({ pattern }) => pattern.test(path))?.found ?? null };
}

/** Written out, one name, many names, perhaps none: in that order. */
function orderOf(path: string): string {
  const rank = (name: string) =>
    name.startsWith('[[') ? 3 : name.startsWith('[...') ? 2 : name.startsWith('[') ? 1 : 0;
  return path.split('/').map(rank).join('');
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .filter(Boolean)
    .map((name) => {
      if (name.startsWith('[[...')) return '(?:/.+)?';
      if (name.startsWith('[...')) return '/.+';
      return name.startsWith('[') ? '/[^/]+' : `/${name.replaceAll(/[^\w-]/g, String.raw`\$&`)}`;
    });
  return new RegExp(`^${parts.join('')}/?$`);
}
