import { describe, expect, it } from 'vitest';
import { createRouteTable, type RouteTable, readRoutes } from '#scripts/lib/route-table';
import { findAllRoutes, findPages } from '#tests/support/api-routes';

const modules = import.meta.glob<Record<string, unknown>>('/app/**/route.ts', { eager: true });
const table: RouteTable = createRouteTable(readRoutes());

/** An address of the route: `/api/sessions/[id]` gives `/api/sessions/x`. */
const addressOf = (path: string) => path.replaceAll(/\[+(?:\.{3})?\w+\]+/g, 'x-x');

describe('the table of routes', () => {
  it('has every route with the methods that its file exports', () => {
    expect(Object.keys(modules).length).toBeGreaterThan(90);
    for (const [file, module] of Object.entries(modules)) {
      const path = file
        .replace(/^\/app/, '')
        .replace(/\/route\.ts$/, '')
        .replaceAll(/\/\(\w+\)/g, '');
      const { kind, allow } = table.at(addressOf(path))!;
      const own = Object.keys(module);
      const expected = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
      expect([kind, allow.toSorted()], path).toEqual(['route', expected.toSorted()]);
    }
    expect(findAllRoutes().length).toBeGreaterThan(130);
  });

  it('has every page, which is read only', () => {
    for (const path of findPages())
      expect(table.at(addressOf(path)), path).toEqual({ kind: 'page', allow: ['GET', 'HEAD'] });
  });

  it('distinguishes files from rendered pages', () => {
    for (const path of ['/icon.svg', '/favicon.ico', '/images/kiln.svg', '/_next/static/chunks/a.js'])
      expect(table.at(path)?.kind, path).toBe('file');
    for (const path of ['/nowhere', '/images/none.svg', '/mcp/more', '/media/x'])
      expect(table.at(path), path).toBeNull();
  });

  it('prefers static segments to dynamic ones, as Next does', () => {
    expect(table.at('/api/content/media')?.allow).toContain('POST');
    expect(table.at('/api/content/trash')?.allow).not.toContain('POST');
    expect(table.at('/site/sitemap.xml')?.kind).toBe('route');
    expect(table.at('/site/a/b')?.kind).toBe('page');
    expect(table.at('/site/')?.kind).toBe('page');
    expect(table.at('/api/nowhere/at/all')?.allow).toContain('DELETE');
  });
});
