import { readRoutes } from '#scripts/lib/route-table';

/** Methods that Next answers by itself. */
const NEXTS_OWN = ['HEAD', 'OPTIONS'];

/** Every `METHOD /path` of the app's API, without those that answer unknown addresses. */
export function findApiRoutes(): string[] {
  return findAllRoutes().filter((name) => / \/api\//.test(name) && !name.endsWith(' /api/[...path]'));
}

/** Every `METHOD /path` that is no page: the API, the endpoint for other programs, pictures. */
export function findAllRoutes(): string[] {
  return readRoutes()
    .filter(({ kind }) => kind === 'route')
    .flatMap(({ path, allow }) => allow.filter((name) => !NEXTS_OWN.includes(name)).map((name) => `${name} ${path}`));
}

/** The path of every page. */
export function findPages(): string[] {
  return readRoutes().flatMap(({ path, kind }) => (kind === 'page' ? [path] : []));
}
