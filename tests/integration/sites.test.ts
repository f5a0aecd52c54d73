import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { sitesSchema, siteTestSchema } from '#server/core/site/remote-site';
import type { Services } from '#server/services';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { startTestServices } from '#tests/support/test-services';
import { startWordPressStub, STUB_USER, type WordPressStub } from '#tests/support/wordpress-stub';
import { callRoute, serve, stopServing } from '#tests/support/routes';

const SITES = '/api/settings/sites';

let services: Services;
let stub: WordPressStub;
beforeAll(async () => {
  stub = await startWordPressStub();
  services = await serve(startTestServices());
});
afterAll(async () => {
  await stopServing();
  stub.close();
});

const WRONG = 'not-the-right-password';
const basic = (password: string) => Buffer.from(`${STUB_USER.username}:${password}`).toString('base64');
/** The site repeats what it is sent. */
const SECRETS = [STUB_USER.password, basic(STUB_USER.password), WRONG, basic(WRONG)];

/** What is answered, which never holds a password. */
async function call(method: string, path: string, body?: unknown) {
  const response = await callRoute(method, path, { body });
  const text = await response.text();
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  return { status: response.status, text, body: (text === '' ? null : JSON.parse(text)) as unknown };
}

const reportOf = ({ body }: { body: unknown }): z.infer<typeof sitesSchema> => sitesSchema.parse(body);
const report = async () => reportOf(await call('GET', SITES));
const titles = async () => {
  const { items } = (await call('GET', '/api/content/pages')).body as { items: { title: string }[] };
  return items.map(({ title }) => title);
};

it('refuses an unreachable site or wrong password, with the reason', async () => {
  const input = { url: stub.url, ...STUB_USER };
  const passed = siteTestSchema.parse((await call('POST', `${SITES}/test`, input)).body);
  expect(passed).toMatchObject({ ok: true, name: 'Stub & Sons', abilities: { userName: 'Mara', canPublish: true } });
  const wrong = { ...input, password: WRONG };
  for (const [bad, message] of [
    [wrong, ''],
    [{ ...input, url: 'http://127.0.0.1:1' }, 'cannot be reached'],
    [{ ...input, url: `${stub.url}/elsewhere` }, ''],
  ] as const) {
    const tested = await call('POST', `${SITES}/test`, bad);
    expect(siteTestSchema.parse(tested.body)).toMatchObject({ ok: false });
    expect(tested.text).toContain(message);
    expect((await call('POST', SITES, bad)).status).toBe(400);
  }
  const open = await call('POST', `${SITES}/test`, { ...input, url: 'http://wordpress.example' });
  expect([open.status, open.text]).toEqual([400, expect.stringContaining('unencrypted')]);
  expect(await report()).toEqual({ activeSiteId: 'embedded', wordpress: [] });
});

it('connects a site, copies it, edits it, and switches back', async () => {
  await services.builtIn.content.create({ type: 'page', title: 'Ours' }, { actor: 'user' });
  const goOn = stub.hold();
  const connected = await call('POST', SITES, { url: `${stub.url}/wp-admin/`, ...STUB_USER });
  expect(connected.status).toBe(201);
  const [site] = reportOf(connected).wordpress;
  const path = `${SITES}/${site!.id}`;
  expect(site).toMatchObject({ url: stub.url, username: 'mara', isActive: false, pulledAt: null });
  await vi.waitFor(async () => expect((await report()).wordpress[0]?.pulling).not.toBeNull());
  const tooSoon = await call('POST', `${SITES}/active`, { siteId: site!.id });
  expect([tooSoon.status, tooSoon.text]).toEqual([409, expect.stringContaining('has not been fetched yet')]);
  expect((await call('POST', SITES, { url: stub.url, ...STUB_USER })).status).toBe(409);
  goOn();
  await vi.waitFor(async () => expect((await report()).wordpress[0]).toMatchObject({ pulling: null, fault: null }));
  expect((await report()).wordpress[0]?.pulledAt).not.toBeNull();
  expect(await titles()).toEqual(['Ours']);

  expect(reportOf(await call('POST', `${SITES}/active`, { siteId: site!.id })).activeSiteId).toBe(site!.id);
  expect(await titles()).toEqual(['Kilns']);
  expect((await call('DELETE', path)).status).toBe(409);
  expect((await call('PATCH', path, { password: WRONG })).status).toBe(400);
  expect((await call('PATCH', path, { password: STUB_USER.password })).status).toBe(200);
  expect((await call('POST', `${path}/pull`)).status).toBe(200);
  await vi.waitFor(async () => expect((await report()).wordpress[0]).toMatchObject({ pulling: null, fault: null }));

  expect(reportOf(await call('POST', `${SITES}/active`, { siteId: 'embedded' })).activeSiteId).toBe('embedded');
  expect(await titles()).toEqual(['Ours']);
  const audit = (await call('GET', '/api/admin/audit')).body as { items: { action: string; target: string }[] };
  expect(audit.items.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'site-activated Built-in site',
    'site-changed Stub & Sons',
    'site-activated Stub & Sons',
    'site-connected Stub & Sons',
    // The tests of connections before this; an address that is refused before any request has no entry.
    `site-tested ${stub.url}`,
    'site-tested http://127.0.0.1:1',
    `site-tested ${stub.url}`,
    `site-tested ${stub.url}`,
  ]);
  const file = databaseFileOf(services.env.DATABASE_URL);
  for (const name of [file, `${file}-wal`]) {
    for (const secret of SECRETS) expect(readFileSync(name).includes(secret), `${secret} in ${name}`).toBe(false);
  }
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('DELETE', path)).status).toBe(404);
  expect(await report()).toEqual({ activeSiteId: 'embedded', wordpress: [] });
});

it('ends imports of dead processes before it disconnects a site', async () => {
  using settle = vi.spyOn(services.imports, 'settle');
  await call('DELETE', `${SITES}/wps_01h0000000000000000000000a`);
  expect(settle).toHaveBeenCalledOnce();
});
