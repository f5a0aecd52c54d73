import { expect, it } from 'vitest';
import { findAllRoutes } from '#tests/support/api-routes';

it('lists the module of every API route', async () => {
  const files = [
    ...new Set(
      findAllRoutes()
        .filter((route) => / \/(api|v1)\//.test(route) && !route.includes('[...path]'))
        .map((route) => route.slice(route.indexOf('/') + 1)),
    ),
  ].toSorted();
  const entries = files.map((file) => {
    const path = file.replaceAll(/\[(?:\.{3})?(\w+)\]/g, '{$1}');
    return `  '/${path}': typeof import('#app/${file}/route');`;
  });
  const text = [
    '/*',
    ' * Written by `npx vitest run app/api/api-routes.test.ts -u`; the test fails when a route is missing.',
    ' */',
    '',
    '/** The modules of all API routes by path, as types: our client derives its types from them. */',
    'export interface ApiRoutes {',
    ...entries,
    '}',
    '',
  ].join('\n');
  await expect(text).toMatchFileSnapshot('./api-routes.ts');
});
