import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRoutes } from '#scripts/lib/route-table';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { type RestRequest, sendRequest } from '#tests/support/rest-client';

let server: AccountsServer;
let host: string;

beforeAll(async () => {
  const port = await freePort();
  host = `kiln.localhost:${port}`;
  const env = { ...accountsEnvironment(port), SITE_URL: `http://${host}` };
  server = await startAccountsServer({ port, env, seed: true });
});
afterAll(() => server.stop());

const ask = (path: string, request: Partial<RestRequest> = {}) =>
  sendRequest(server.url, { method: 'GET', path, ...request, headers: { host, ...request.headers } });

/** What the site itself has at an address that the app has, too. */
const OWN = ['/', '/robots.txt', '/favicon.ico'];
const addressOf = (path: string) => path.replaceAll(/\[+(?:\.{3})?\w+\]+/g, 'x-x');
const routes = readRoutes().filter(({ path }) => !OWN.includes(path) && !path.startsWith('/images/'));

describe('the host of the published site', () => {
  it('shows the site at its root, without scripts of ours and without traces of the app', async () => {
    const { status, headers, text } = await ask('/', { headers: { cookie: server.people.owner.cookie } });
    expect(status).toBe(200);
    expect(text).toContain(`<link rel="canonical" href="http://${host}/"/>`);
    expect(text).not.toMatch(/<script(?! type="application\/ld\+json")|_next|throughline/i);
    expect(JSON.stringify(headers)).not.toMatch(/next|throughline|script-src/i);
    expect(headers).not.toHaveProperty('set-cookie');
    const links = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(10);
    for (const path of new Set(links)) expect((await ask(path)).status, path).toBe(200);
    const [stylesheet = ''] = links.filter((path) => path.endsWith('.css'));
    const fonts = (await ask(stylesheet)).text.match(/\/assets\/[\w-]+\.woff2/g) ?? [];
    expect(fonts.length).toBeGreaterThan(5);
    for (const path of fonts) expect((await ask(path)).headers['content-type'], path).toBe('font/woff2');
  });

  it('answers 404 to every route of the app, for any method and caller', async () => {
    expect(routes.length).toBeGreaterThan(120);
    const headers = { cookie: server.people.owner.cookie, origin: server.origin };
    const answered: string[] = [];
    for (const { path, allow } of routes) {
      for (const method of new Set([...allow, 'POST'])) {
        const { status } = await ask(addressOf(path), { method, headers });
        if (status !== 404) answered.push(`${status} ${method} ${path}`);
      }
    }
    expect(answered).toEqual([]);
    // The same addresses are there on the host of the app.
    expect((await server.ask(server.people.owner, { method: 'GET', path: '/api/sessions' })).status).toBe(200);
  });

  it.each(['/icon.svg', '/manifest.json', '/_next/static/chunks/main.js', '/.env', '/site', '/preview', '/c/'])(
    '%s is nothing there',
    async (path) => expect((await ask(path)).status).toBe(404),
  );

  it('is that host alone: another name gets neither the site nor the app', async () => {
    for (const forged of ['evil.example', `evil.${host}`, 'kiln.localhost', `${host}.`, 'kiln.localhost:1']) {
      for (const path of ['/', '/site', '/api/sessions', '/login', '/sitemap.xml']) {
        const { status, text } = await ask(path, { headers: { host: forged, 'x-forwarded-host': host } });
        expect([forged, path, status]).toEqual([forged, path, 403]);
        expect(text).not.toMatch(/<html/i);
      }
    }
    // Other headers do not select the site, and an absolute address does not select the app.
    const { text } = await sendRequest(server.url, { method: 'GET', path: '/', headers: { 'x-forwarded-host': host } });
    expect(text).not.toContain('kiln.localhost');
    expect((await ask(`${server.origin}/api/health`)).status).toBe(404);
  });

  it('is led on to from other addresses that the settings name, which take nothing of the app', async () => {
    const named = `https://www.kiln.example, ${server.origin}, http://localhost:1`;
    const body = { siteAliases: named };
    const saved = await server.ask(server.people.admin, { method: 'PATCH', path: '/api/settings', body });
    expect([saved.status, saved.text]).toEqual([200, expect.stringContaining('www.kiln.example')]);
    const { status, headers } = await ask('/pricing?a=1', { headers: { host: 'WWW.kiln.example' } });
    expect([status, headers['location']]).toEqual([301, `http://${host}/pricing?a=1`]);
    expect((await ask('//evil.example/', { headers: { host: 'www.kiln.example' } })).headers['location']).toBe(
      `http://${host}//evil.example/`,
    );
    expect((await server.ask(server.people.admin, { method: 'GET', path: '/api/settings' })).status).toBe(200);
    const wrong = { siteAliases: 'www.kiln.example' };
    const refused = await server.ask(server.people.admin, { method: 'PATCH', path: '/api/settings', body: wrong });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('origins like')]);
  });

  it('leaves the app on its own host, whose copy of the site has canonical addresses', async () => {
    const page = await server.ask(null, { method: 'GET', path: '/site/visit-us' });
    expect(page.text).toContain(`href="http://${host}/visit-us"`);
    const robots = await server.ask(null, { method: 'GET', path: '/robots.txt' });
    expect(robots.text).toBe('User-agent: *\nDisallow: /\n');
    expect((await ask('/robots.txt')).text).toContain('Allow: /\n');
  });
});
