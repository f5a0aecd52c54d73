import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { Owner } from '#tests/e2e/support/owner';
import { startFakeVendor } from '#tests/support/fake-vendors';
import { startProductionServer } from '#tests/support/production-server';

const KEY = 'sk-ant-api03-0123456789abcdef';
const tProviders = translator('providers');
const t = translator('basicAssistant');
const tStart = translator('start');

test('a newcomer with a key of Anthropic has a first answer within five clicks and one paste', async ({
  desk,
  page,
}) => {
  await using vendor = await startFakeVendor({ kind: 'anthropic', key: KEY, models: ['claude-sonnet-5-5', 'other'] });
  // A fresh installation without a configured model; the integration tests connect all providers.
  await using server = await startProductionServer({ seed: true, env: { ANTHROPIC_BASE_URL: vendor.baseUrl } });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto(server.url);
  const newcomer = new Owner(page);
  const dialog = page.getByRole('dialog', { name: tProviders('dialog.title') });
  const anthropic = tProviders('names.anthropic.name');
  newcomer.begin('connect');
  await newcomer.press(page.getByRole('button', { name: t('strip.connect'), exact: true }));
  await newcomer.press(dialog.getByRole('radio', { name: new RegExp(`^${anthropic}`) }));
  await newcomer.press(dialog.getByLabel(tProviders('dialog.key'), { exact: true }));
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), KEY);
  await page.keyboard.press('ControlOrMeta+V');
  await newcomer.press(dialog.getByRole('button', { name: tProviders('dialog.connect'), exact: true }));
  await expect(dialog).toHaveCount(0);
  await newcomer.press(page.getByRole('button', { name: tStart('suggestions.list'), exact: true }));
  await desk.composer.press('Enter');
  await expect(desk.answers.last()).toContainText('Hello.');
  expect(newcomer.clicks['connect']).toBeLessThanOrEqual(5);
  await desk.untilIdle();

  // The newcomer's card is gone, and the page with the connection does not contain the key.
  await desk.newChat();
  await expect(page.getByRole('complementary', { name: t('strip.title') })).toHaveCount(0);
  await page.goto(`${server.url}/admin/settings/models`);
  await expect(page.getByRole('article', { name: anthropic, exact: true })).toContainText(tProviders('hasKey'));
  expect(await page.content()).not.toContain(KEY);
  await page.goto('about:blank');
});
