import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { projectPath } from '#scripts/lib/project';

/** An address of the app in Next's notation: `/api/sessions/[id]`. */
interface Route {
  readonly path: string;
  /** `page`: rendered for the user. `route`: one of our handlers. `file`: served unchanged. */
  readonly kind: 'page' | 'route' | 'file';
  /** The HTTP methods that it accepts. */
  readonly allow: readonly string[];
}

/** Finds the route for an address. */
export interface RouteTable {
  /** @param path decoded. @returns null if there is no route: Next then renders the "not found" page for the user */
  at(path: string): Pick<Route, 'kind' | 'allow'> | null;
}

/** Where the table of the build is stored. */
const FILE = projectPath('.next/route-table.json');
/** Methods of pages and files. */
const READ_METHODS = ['GET', 'HEAD'];
/** Matches the methods that a route handler exports. */
const METHOD = /(?:export (?:const|(?:async )?function) |\bas )(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/g;

/** Reads the routes from the sources: pages, route handlers with their exported methods, and files. */
export function readRoutes(): Route[] {
  const found = (pattern: string, folder: string) => globSync(pattern, { cwd: projectPath(folder) });
  const pages = found('**/page.{ts,tsx}', 'app').map((file) => ({
    path: pathOf(file),
    kind: 'page' as const,
    allow: READ_METHODS,
  }));
  // `**` does not match folders whose names begin with a dot.
  const routes = [...found('**/route.ts', 'app'), ...found('.well-known/**/route.ts', 'app')].map((file) => {
    const source = readFileSync(projectPath(`app/${file}`), 'utf8');
    const own = Array.from(source.matchAll(METHOD), ([, method = '']) => method);
    // Next answers HEAD and OPTIONS by itself.
    const allow = [...new Set([...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])];
    return { path: pathOf(file), kind: 'route' as const, allow };
  });
  const files = ['favicon.ico', 'icon.svg', '_next/static/[...path]', ...found('**/*.*', 'public')].map((file) => ({
    path: `/${file}`,
    kind: 'file' as const,
    allow: READ_METHODS,
  }));
  return [...pages, ...routes, ...files];
}

/** The path without the file name and without folders that only group files. */
function pathOf(file: string): string {
  const names = file.split('/').slice(0, -1);
  return `/${names.filter((name) => !/^\(.*\)$/.test(name)).join('/')}`;
}

/** Stores the table with its build. */
export function writeRouteTable(): void {
  writeFileSync(FILE, JSON.stringify(readRoutes()));
}

/** The table of the build; read from the sources if an older version made the build without one. */
export function builtRouteTable(): RouteTable {
  return createRouteTable(existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Route[]) : readRoutes());
}

/** Creates the table. If several routes match a path, the one with the earliest literal segment wins, as in Next. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const entries = routes
    .map(({ path, kind, allow }) => ({ order: orderOf(path), pattern: patternOf(path), found: { kind, allow } }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
  return { at: (path) => entries.find(({ pattern }) => pattern.test(path))?.found ?? null };
}

/** Sort order: literal segments, one parameter, catch-all, optional catch-all. */
function orderOf(path: string): string {
  const rank = (name: string) =>
    name.startsWith('[[') ? 3 : name.startsWith('[...') ? 2 : name.startsWith('[') ? 1 : 0;
  return path.split('/').map(rank).join('');
}

/** Matches the addresses of a route. */
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
