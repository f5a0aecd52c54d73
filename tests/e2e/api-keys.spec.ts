import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';

const tAudit = translator('audit');

const tApiKeys = translator('apiKeys');

test('a key is made in the settings, shown once, used and revoked', async ({ desk: _, page, server }) => {
  await page.goto(`${server.url}/admin/settings#settings-api-keys`);
  const section = page.getByRole('region', { name: tApiKeys('title') });
  await expect(section.getByText(tApiKeys('empty'))).toBeVisible();
  await section.getByRole('button', { name: tApiKeys('add') }).click();
  await page.getByLabel(tApiKeys('form.name')).fill('Nightly import');
  await page.getByRole('checkbox', { name: tApiKeys('scopes.content:write.name') }).check();
  await page.getByLabel(tApiKeys('form.expiry')).selectOption({ label: tApiKeys('form.expiries.30') });
  const making = createGate();
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() === 'POST') await making.opened;
    await route.continue();
  });
  await page.getByRole('button', { name: tApiKeys('form.save'), exact: true }).click();
  // It is made all the same, and shown.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  making.open();

  const key = await page.getByRole('textbox', { name: tApiKeys('shown.key'), exact: true }).inputValue();
  expect(key).toMatch(/^tl_[\w-]{43}$/);
  await page.getByRole('button', { name: tApiKeys('shown.done') }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const add = section.getByRole('button', { name: tApiKeys('add') });
  await expect(add).toBeFocused();
  const row = section.getByRole('article', { name: 'Nightly import' });
  await expect(row).toContainText(key.slice(0, 9));
  await expect(row).toContainText(tApiKeys('neverUsed'));

  const authorization = `Bearer ${key}`;
  const pages = () => page.request.get(`${server.url}/api/content/pages`, { headers: { authorization } });
  expect((await pages()).status()).toBe(200);
  await row.getByRole('button', { name: tApiKeys('revokeOf', { name: 'Nightly import' }) }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tApiKeys('revoke'), exact: true })
    .click();
  await expect(section.getByText(tApiKeys('empty'))).toBeVisible();
  await expect(add).toBeFocused();
  expect((await pages()).status()).toBe(401);

  await page.goto(`${server.url}/admin/audit`);
  const table = page.getByRole('table', { name: tAudit('table') });
  await expect(table.getByRole('row').nth(1)).toContainText(tAudit('actions.key-revoked'));
  await expect(table.getByRole('row').nth(2)).toContainText(tAudit('actions.key-created'));
  expect(await page.content()).not.toContain(key);
});
