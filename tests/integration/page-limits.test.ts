import { afterAll, beforeAll, expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { sendRequest } from '#tests/support/rest-client';

const t = translator('shared');

const PAGES = 5;
let server: ProductionServer;

beforeAll(async () => {
  const env = {
    AUTH_MODE: 'accounts',
    AUTH_SECRET: 'a secret of thirty-two characters or more',
    PUBLIC_URL: 'http://localhost:3000',
    TRUST_PROXY: 'on',
    PAGES_PER_MINUTE: String(PAGES),
  };
  server = await startProductionServer({ seed: true, env });
});
afterAll(() => server.stop());

const get = (path: string, address: string, headers: Record<string, string> = {}) =>
  sendRequest(server.url, { method: 'GET', path, headers: { 'x-forwarded-for': `9.9.9.9, ${address}`, ...headers } });
const statuses = async (paths: readonly string[], address: string) => {
  const answers: number[] = [];
  for (const path of paths) answers.push((await get(path, address)).status);
  return answers;
};

it('a visitor above the page limit of one address gets a plain error page', async () => {
  const pages = ['/site', '/site/blog', '/nowhere', '/login', '/site/nowhere'];
  expect(await statuses(pages, '203.0.113.1')).toEqual([200, 200, 404, 200, 404]);
  for (const path of ['/site', '/', '/nowhere', '/docs/api', '/site?_rsc=1']) {
    const refused = await get(path, '203.0.113.1', path.includes('_rsc') ? { rsc: '1' } : {});
    expect(refused.status, path).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(refused.text).toContain(`<h1>${t('tooManyPages.title')}</h1>`);
    expect(refused.text).not.toContain('<script');
    expect(refused.headers['content-security-policy']).toMatch(/^default-src 'none'/);
  }
  const { text } = await get('/', '203.0.113.1', { 'accept-language': 'de' });
  expect(text).toContain(`<html lang="de"`);
  expect(text).toContain(`<h1>${germanMessages.shared.tooManyPages.title}</h1>`);
  expect((await get('/site', '203.0.113.2')).status).toBe(200);
});

it('static files and routes with their own limits do not count as pages', async () => {
  const { text } = await get('/login', '203.0.113.3');
  const script = /\/_next\/static\/[\w./~-]+\.js/.exec(text)![0];
  const others = [script, '/images/kiln.svg', '/icon.svg', '/favicon.ico', '/api/health', '/robots.txt'];
  expect(await statuses(others, '203.0.113.3')).toEqual(others.map(() => 200));
  expect(await statuses(['/login', '/login', '/login', '/login', '/login'], '203.0.113.3')).toEqual([
    200, 200, 200, 200, 429,
  ]);
});

it('a rendered sitemap counts as a page, a cached one does not', async () => {
  const asked = Array.from({ length: PAGES + 2 }, () => '/site/sitemap.xml');
  expect(await statuses(asked, '203.0.113.4')).toEqual(asked.map(() => 200));
  const pages = ['/login', '/login', '/login', '/login', '/login'];
  expect(await statuses(pages, '203.0.113.4')).toEqual([200, 200, 200, 200, 429]);
});
