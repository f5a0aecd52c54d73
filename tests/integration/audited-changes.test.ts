import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AuditEntry } from '#server/core/admin/audit';
import type { Services } from '#server/services';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

let services: Services;
beforeAll(async () => {
  services = await serve(startTestServices());
});
afterAll(stopServing);

async function call(method: string, path: string, body?: unknown, params?: Record<string, string>) {
  const response = await callRoute(method, path, { body, ...(params && { params }) });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return (await response.json()) as { change: { id: string }; entry?: { id: string } };
}
const PAGE = '/api/content/[collection]/[ref]';
const page = (ref: string) => ({ collection: 'pages', ref });

/** Entries since the last look, oldest first. */
let seen = 0;
async function news() {
  const { items } = await services.audit.list({ limit: 200 });
  const fresh = items.slice(0, items.length - seen).toReversed();
  seen = items.length;
  return fresh.map(({ action, target }) => [action, target]);
}

it('changes that visitors notice are in the audit log, by any route; work on drafts is not', async () => {
  const { entry } = await call('POST', '/api/content/[collection]', { title: 'Pricing' }, { collection: 'pages' });
  await call('PATCH', PAGE, { operations: [{ op: 'set', field: 'title', value: 'Prices' }] }, page(entry!.id));
  expect(await news()).toEqual([]);

  const plan = { publishAt: Date.now() + 3_600_000 };
  await call('POST', `${PAGE}/schedule`, plan, page(entry!.id));
  await call('POST', `${PAGE}/publish`, undefined, page(entry!.id));
  await call('POST', `${PAGE}/publish`, undefined, page(entry!.id));
  await call('DELETE', PAGE, undefined, page(entry!.id));
  await call('POST', `${PAGE}/untrash`, undefined, page(entry!.id));
  await call('POST', `${PAGE}/unpublish`, undefined, page(entry!.id));
  expect(await news()).toEqual([
    ['content-scheduled', 'Prices'],
    ['content-published', 'Prices'],
    ['content-deleted', 'Prices'],
    ['content-restored', 'Prices'],
    ['content-unpublished', 'Prices'],
  ]);

  await call('PATCH', '/api/content/settings', { siteName: 'Kiln' });
  await call('PATCH', '/api/content/settings?dryRun=1', { siteName: 'Not yet' });
  const { change } = await call('PUT', '/api/content/navigation', { items: [{ label: 'Home', href: '/' }] });
  await call('POST', '/api/content/undo', { changeId: change.id });
  expect(await news()).toEqual([
    ['site-settings-changed', 'Site settings'],
    ['menu-changed', 'Menu'],
    ['changes-undone', 'Menu'],
  ]);
  await call('PUT', '/api/content/standing-instructions', { rules: ['Use British spelling.'] });
  const { id } = (await call('POST', '/api/sessions', { title: 'Spring' })) as unknown as { id: string };
  expect((await callRoute('DELETE', `/api/sessions/${id}`)).status).toBe(204);
  await call('DELETE', `${PAGE}?dryRun=1`, undefined, page(entry!.id));
  expect(await news()).toEqual([
    ['standing-instructions-changed', expect.anything()],
    ['session-deleted', 'Spring'],
  ]);
  const { items } = await services.audit.list({ action: 'site-settings-changed' });
  expect(items).toMatchObject([{ userId: 'own_local', keyId: null, details: { id: 'settings' } }]);
});

it('has the requesting user, or the schedule', async () => {
  const { entry } = await call('POST', '/api/content/[collection]', { title: 'Later' }, { collection: 'pages' });
  await call('POST', `${PAGE}/schedule`, { publishAt: Date.now() + 2_000 }, page(entry!.id));
  await vi.waitFor(
    async () => {
      const { items } = await services.audit.list({ action: 'content-published', limit: 1 });
      expect(items[0]).toMatchObject({ target: 'Later', actorName: 'Schedule', userId: 'own_local', ipAddress: null });
    },
    { timeout: 20_000 },
  );
  const { items } = await services.audit.list({ action: 'content-scheduled', limit: 1 });
  expect(items[0]).toMatchObject({ target: 'Later', details: { id: entry!.id } });
  expect(items[0]!.actorName).not.toBe('Schedule');
});

it('a download of the database is in the audit log', async () => {
  await news();
  const response = await callRoute('POST', '/api/backups');
  const { id, bytes } = (await response.json()) as { id: string; bytes: number };
  const download = await callRoute('GET', '/api/backups/[id]', { params: { id } });
  expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="throughline-[^"]+\.db"/);
  const copy = Buffer.from(await download.arrayBuffer());
  expect([copy.length, copy.toString('latin1', 0, 15)]).toEqual([bytes, 'SQLite format 3']);
  expect(await news()).toEqual([['database-downloaded', expect.stringMatching(/^throughline-.+\.db$/)]]);
});

it('shows values before and after, by person and time, and exports them without formulas', async () => {
  const { autoCompact, middleRemovalThreshold } = services.settings.report().values;
  const start = Date.now();
  await call('PATCH', '/api/settings', { autoCompact: !autoCompact, middleRemovalThreshold });
  await call('PATCH', '/api/content/settings', { siteName: '=1+1' });
  await services.audit.record(null, 'sign-in-failed', {
    actorName: '=HYPERLINK("http://evil.example")',
    userId: 'usr_1',
  });

  const read = async (query: string) => {
    const response = await callRoute('GET', `/api/admin/audit/export?${query}`);
    return response.text();
  };
  const items = async (query: string) => JSON.parse(await read(`format=json&${query}`)) as AuditEntry[];
  const [exported, failed, site, settings] = await items(`from=${start}`);
  expect(exported?.action).toBe('audit-exported');
  expect(settings?.details?.['changes']).toEqual([{ name: 'autoCompact', before: autoCompact, after: !autoCompact }]);
  expect(site?.details).toMatchObject({ summaryMessage: { code: 'journal-settings' } });
  expect(await items(`userId=usr_1&from=${start}&until=${Date.now() + 1}`)).toEqual([failed]);
  expect(await items(`userId=usr_1&until=${start}`)).toEqual([]);
  const line = (await read('action=sign-in-failed')).split('\r\n')[1];
  expect(line).toContain(`,"'=HYPERLINK(""http://evil.example"")",usr_1,`);
});
