import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import { FILE_POLICY, styleHashes } from '#server/http/security-headers';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { sendRequest } from '#tests/support/rest-client';

const t = translator('start');

let server: ProductionServer;

beforeAll(async () => {
  server = await startProductionServer({ seed: true, env: { ALLOWED_ORIGINS: 'https://media.example' } });
});
afterAll(() => server.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRequest(server.url, { method: 'GET', path, headers });
const policyOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['content-security-policy']);
const nonceOf = (policy: string) => /script-src 'self' 'nonce-([\w+/=]{22,})'/.exec(policy)?.[1];

/** An address of every page that there is; a new page without one fails. */
const addresses: Readonly<Record<string, readonly string[]>> = {
  '/app/(chat)/page.ts': ['/'],
  '/app/(chat)/c/[sessionId]/page.ts': ['/c/ses_01h0000000000000000000000a'],
  '/app/(content)/preview/[[...slug]]/page.tsx': ['/preview', '/%70review', '/preview/nowhere'],
  '/app/(content)/site/[[...slug]]/page.tsx': ['/site', '/site/blog', '/site/nowhere'],
  '/app/account/page.tsx': ['/account'],
  '/app/admin/(shell)/page.tsx': ['/admin', '/site/../admin', '/site/%2e%2e/admin'],
  '/app/admin/(shell)/audit/page.tsx': ['/admin/audit'],
  '/app/admin/(shell)/costs/page.tsx': ['/admin/costs'],
  '/app/admin/(shell)/sessions/[id]/page.tsx': ['/admin/sessions/ses_01h0000000000000000000000a'],
  '/app/admin/(shell)/settings/page.tsx': ['/admin/settings'],
  '/app/admin/(shell)/settings/[page]/page.tsx': ['/admin/settings/models', '/admin/settings/nowhere'],
  '/app/docs/api/page.tsx': ['/docs/api'],
  '/app/docs/api/[area]/page.tsx': ['/docs/api/sessions', '/docs/api/nowhere'],
  '/app/docs/api/shapes/page.tsx': ['/docs/api/shapes'],
  '/app/help/[[...page]]/page.tsx': ['/help', '/help/troubleshooting', '/help/nowhere', '/help/faq/..%2f..%2fREADME'],
  '/app/library/page.ts': [],
  '/app/library/pages/page.tsx': ['/library/pages'],
  '/app/library/changes/page.tsx': ['/library/changes'],
  '/app/library/media/page.tsx': ['/library/media'],
  '/app/library/messages/page.tsx': ['/library/messages'],
  '/app/library/site/page.tsx': ['/library/site'],
  '/app/library/design/page.tsx': ['/library/design'],
  '/app/library/trash/page.tsx': ['/library/trash'],
  '/app/library/import/page.tsx': ['/library/import'],
  '/app/login/page.tsx': ['/login'],
  '/app/login/new-password/page.tsx': ['/login/new-password'],
  '/app/oauth/tool-servers/[id]/page.tsx': ['/oauth/tool-servers/mcp_01h0000000000000000000000a'],
  // Not found without accounts.
  '/app/oauth/authorize/page.tsx': ['/oauth/authorize'],
};
const nowhere = ['/nowhere', '/previews', '/admin/nowhere', '/library/nowhere', '/docs/nowhere/at/all'];
const paths = [...Object.values(addresses).flat(), ...nowhere];
const framed = Object.entries(addresses).flatMap(([page, own]) => (page.startsWith('/app/(content)') ? own : []));

it('every page has an address here', () => {
  const pages = Object.keys(import.meta.glob(['/app/**/page.ts', '/app/**/page.tsx']));
  expect(pages.filter((page) => !(page in addresses))).toEqual([]);
});

const languageOf = ({ text }: { readonly text: string }) => /<html lang="(\w+)"/.exec(text)?.[1];
// Next leaves a page that ends in "not found" to the browser, whole.
const isLeft = (path: string) =>
  /^\/(docs|help|admin\/settings)\/.*(nowhere|%2f)|^\/oauth\//.test(path) && path !== '/docs/nowhere/at/all';
const hasLanguageOfReader = (path: string) => !path.startsWith('/site') && !isLeft(path);

describe('a page', () => {
  it.each(paths)('%s: runs and is styled by this very answer only, is framed by the desk at most', async (path) => {
    const [first, second] = [await get(path), await get(path, { 'accept-language': 'de-AT,en;q=0.5' })];
    if (hasLanguageOfReader(path)) expect([languageOf(first), languageOf(second)]).toEqual(['en', 'de']);
    const nonce = nonceOf(policyOf(first));
    expect(nonce).toBeDefined();
    expect(nonceOf(policyOf(second))).not.toBe(nonce);
    expect(policyOf(first)).not.toMatch(/script-src[^;]*'unsafe/);
    expect(policyOf(first)).toMatch(framed.includes(path) ? /; frame-ancestors 'self'$/ : /; frame-ancestors 'none'$/);

    const scripts = first.text.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((tag) => !tag.includes(` nonce="${nonce}"`))).toEqual([]);
    const known = Object.values(styleHashes);
    const styles = [...first.text.matchAll(/<style\b([^>]*)>([^<]*)<\/style>/g)];
    const unknown = styles.filter(
      ([, attributes = '', text = '']) =>
        !attributes.includes(` nonce="${nonce}"`) &&
        !known.includes(createHash('sha256').update(text).digest('base64')),
    );
    expect(unknown).toEqual([]);
    expect(first.text).not.toMatch(/<[a-z][^>]* on[a-z]+=/i);
    expect(String(first.headers['cache-control'])).toMatch(/no-store/);
  });

  it.each(['/', '/nowhere', '/site', '/preview'])('%s: does not accept a nonce from the request', async (path) => {
    const forged = 'Zm9yZ2VkLWJ5LXRoZS1jbGllbnQ=';
    const policy = `script-src 'nonce-${forged}'`;
    const answer = await get(path, {
      'content-security-policy': policy,
      'content-security-policy-report-only': policy,
      'x-nonce': forged,
    });
    expect(answer.text).not.toContain(forged);
    expect(policyOf(answer)).not.toContain(forged);
    expect(answer.text).toContain(nonceOf(policyOf(answer)));
  });
});

describe('every answer', () => {
  it.each([
    '/',
    '/nowhere',
    '/site',
    '/api/health',
    '/api/nowhere',
    '/v1/nowhere',
    '/media/ast_bcdfgh/kiln.png',
    '/icon.svg',
    '/%ff',
  ])('%s: has its type, and cannot be used by other sites', async (path) => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-dns-prefetch-control': 'off',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': path.startsWith('/media/') ? 'cross-origin' : 'same-origin',
      'permissions-policy': expect.stringMatching(/^camera=\(\), microphone=\(\), geolocation=\(\)/),
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it.each([
    '/api/health',
    '/api/nowhere',
    // Even a policy that a route sets itself is not sent in addition.
    '/api/attachments/blb_01h0000000000000000000000a',
    '/media/ast_bcdfgh/kiln.png',
    '/v1/nowhere',
  ])('%s: a file or data runs nothing, opened in any way', async (path) => {
    expect(policyOf(await get(path))).toBe(FILE_POLICY);
  });

  it.each(['/api/sessions', '/api/content/pages', '/api/settings', '/api/nowhere', '/api/sessions/none'])(
    '%s: is private and not cached on the way',
    async (path) => {
      expect((await get(path)).headers['cache-control']).toBe('private, no-store');
    },
  );

  it('scripts and styles of the app are kept by browsers, though no page is', async () => {
    const { text } = await get('/');
    const files = text.match(/\/_next\/static\/[\w./~-]+\.(?:js|css)/g) ?? [];
    expect(files.length).toBeGreaterThan(3);
    for (const file of files.slice(0, 3)) {
      expect((await get(file)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });
});

it('an idle connection stays open for longer than a proxy keeps its own', async () => {
  const { headers } = await get('/api/health', { connection: 'keep-alive' });
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60);
});

describe('a page is in the language that its reader asks for,', () => {
  it('by the choice in this browser first, and never by nonsense', async () => {
    const chosen = await get('/', { 'accept-language': 'en', cookie: 'throughline-language=de' });
    expect(languageOf(chosen)).toBe('de');
    expect(chosen.text).toContain(germanMessages.start.title);
    const odd = await get('/', { 'accept-language': '*;q=;;,\tx', cookie: 'throughline-language=../de' });
    expect(languageOf(odd)).toBe('en');
    expect(odd.text).toContain(t('title'));
  });

  it('but the site, which has its own', async () => {
    const [german, english] = [await get('/site', { 'accept-language': 'de' }), await get('/site')];
    expect(languageOf(german)).toBe('en');
    const [one, other] = [german, english].map((page) => page.text.replaceAll(nonceOf(policyOf(page))!, ''));
    expect(one).toBe(other);
  });
});
