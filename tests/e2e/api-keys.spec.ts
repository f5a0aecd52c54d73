import { z } from 'zod';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom, holdRequests } from '#tests/e2e/support/waits';

const tAudit = translator('audit');
const tApiKeys = translator('apiKeys');
const t = translator('calls');
const tShared = translator('shared');

const results = z.object({
  result: z.object({ isError: z.boolean().default(false), content: z.tuple([z.object({ text: z.string() })]) }),
});

test('a program gets a key, its calls are decided by keyboard, and the key is revoked', async ({
  desk: _,
  page,
  server,
}) => {
  await page.goto(`${server.url}/admin/settings#settings-api-keys`);
  const keys = page.getByRole('region', { name: tApiKeys('title') });
  const add = keys.getByRole('button', { name: tApiKeys('add') });
  await add.click();
  await page.getByLabel(tApiKeys('form.name')).fill('Nightly import');
  await page.getByRole('checkbox', { name: tApiKeys('scopes.content:write.name') }).check();
  const making = await holdRequests(page, '**/api/keys', 'POST');
  await page.getByRole('button', { name: tApiKeys('form.save'), exact: true }).click();
  // A key whose form was closed meanwhile is made all the same, and shown.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  making.open();
  const key = await page.getByRole('textbox', { name: tApiKeys('shown.key'), exact: true }).inputValue();
  await page.getByRole('button', { name: tApiKeys('shown.done') }).click();
  await expect(add).toBeFocused();
  await expect(keys.getByRole('article', { name: 'Nightly import' })).toContainText(key.slice(0, 9));

  const post = (name: string, args: object) =>
    page.request.post(`${server.url}/mcp`, {
      headers: { accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
  const call = async (name: string, args: object) => results.parse(await (await post(name, args)).json()).result;
  expect((await call('delete_content', { ref: 'workshops' })).content[0].text).toContain(`${server.url}/account`);
  await call('unpublish_content', { ref: 'our-story' });

  // A user on another page sees a notice, on a phone too, where the bar has little room.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${server.url}/library/import`);
  const notice = page.getByRole('link', { name: tShared('waitingCalls', { count: 2 }) });
  await expect(notice).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await notice.click();
  const rows = page
    .getByRole('region', { name: t('title') })
    .getByRole('list', { name: t('list') })
    .locator(':scope > li');
  const deleting = rows.filter({ hasText: 'Delete Workshops' });
  await expect(deleting).toContainText('Moves "Workshops" to the trash');
  await deleting.getByRole('button', { name: 'Keep it' }).press('Enter');
  await expect(rows).toHaveCount(1);
  // The focus is where the work continues.
  await expect(rows.getByRole('button', { name: 'Keep it online' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(0);
  expect((await call('delete_content', { ref: 'workshops' })).isError).toBe(true);
  expect((await call('unpublish_content', { ref: 'our-story' })).isError).toBe(false);
  expect((await page.request.get(`${server.url}/site/our-story`)).status()).toBe(410);

  // What is proposed there is a key for drafts only.
  await page.getByText(t('connect.title')).click();
  await page.getByRole('button', { name: t('connect.create') }).click();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await expect(page.getByRole('checkbox', { name: tApiKeys('scopes.content:draft.name') })).toBeChecked();
  await escapeFrom(page.getByRole('dialog'));

  const row = page.getByRole('article', { name: 'Nightly import' });
  await row.getByRole('button', { name: tApiKeys('revokeOf', { name: 'Nightly import' }) }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tApiKeys('revoke'), exact: true })
    .click();
  await expect(row).toHaveCount(0);
  expect((await post('list_content', { type: 'page' })).status()).toBe(401);
  await page.goto(`${server.url}/admin/audit`);
  await expect(page.getByRole('table', { name: tAudit('table') })).toContainText(tAudit('actions.key-revoked'));
  expect(await page.content()).not.toContain(key);
});
