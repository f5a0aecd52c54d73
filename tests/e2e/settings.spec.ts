import type { Page } from '@playwright/test';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import {
  sectionId,
  settingsPagePath,
  settingsPages,
  type SettingsPageName,
} from '#components/workspace/settings-pages.ts';
import { expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { createGate, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, holdRequests } from '#tests/e2e/support/waits';
import { startWordPressStub, STUB_USER } from '#tests/support/wordpress-stub';

const tPageSections = translator('pageSections');

const t = translator('settings');
const sites = translator('sites');
const tPreview = translator('preview');
const tStrategies = translator('strategies');
const tShared = translator('shared');
const tBackup = translator('settings.backup');
const save = translator('settings.save');
const sources = translator('settings.sources');

/** The settings as an administrator finds their way in them. */
class SettingsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(url: string, name: SettingsPageName = 'assistant'): Promise<void> {
    await this.page.goto(`${url}${settingsPagePath(name)}`);
    await expect(this.page.locator(`#${sectionId(settingsPages[name].at(-1)!)}`)).toBeVisible();
  }

  get search() {
    return this.page.getByRole('searchbox', { name: t('search') });
  }

  /** Everything about one setting. */
  row(name: string) {
    return this.page.getByRole('group', { name: t.find(`labels.${name}`)!, exact: true });
  }

  number(name: string) {
    return this.row(name).getByRole('spinbutton');
  }

  /** Saves, and waits until that is said; the words may still be those on a saving before. */
  async save(count: number): Promise<void> {
    await this.page.getByRole('button', { name: save('save'), exact: true }).click();
    await expect(this.page.getByText(save('saved', { count })).last()).toBeVisible();
    await expect(this.page.getByText(save('changes', { count }))).toHaveCount(0);
  }
}

test('a setting is found, changed, saved and reset, and leaving unsaved changes asks first', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const settings = new SettingsPage(page);
  const threshold = settings.number('pruningAgentThreshold');
  await page.goto(`${server.url}/admin`);
  await page.getByRole('link', { name: 'Settings' }).click();
  // By what people call it, and from the keyboard alone.
  await settings.search.fill('zebra crossing');
  await expect(page.getByText(t('noMatch', { query: 'zebra crossing' }))).toBeVisible();
  await settings.search.fill('money user');
  await expect(page.getByText(t('matches', { count: 1 }))).toBeVisible();
  await settings.search.press('Enter');
  await expect(page).toHaveURL(/\/settings\/models#setting-personBudget$/);
  await expect(settings.number('personBudget')).toBeFocused();
  // A field of another page that is folded away there.
  await settings.search.fill('CONTEXT_PRUNING_AGENT_THRESHOLD');
  const results = page.getByRole('list', { name: t('results') });
  await settings.search.press('ArrowDown');
  await expect(results.getByRole('link')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(threshold).toBeFocused();
  await threshold.fill('30');
  // One of the same page keeps what is typed.
  await settings.search.fill('timeout seconds');
  await results.getByRole('link').first().click();
  await expect(settings.number('toolTimeoutMs')).toBeFocused();
  await expect(threshold).toHaveValue('30');

  const dialog = page.getByRole('alertdialog', { name: t('leave.title') });
  const index = page.getByRole('navigation', { name: t('index') });
  for (const link of [page.getByRole('link', { name: 'Sessions' }), index.getByRole('link', { name: 'People' })]) {
    await link.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(threshold).toHaveValue('30');
  }
  // Two entries back: the one before is a place on this page.
  await page.evaluate(() => history.go(-2));
  await dialog.getByRole('button', { name: t('leave.leave') }).click();
  await expect(threshold).toHaveCount(0);

  await settings.open(server.url);
  await settings
    .row('strategy')
    .getByRole('radio', { name: tStrategies('ledger.name') })
    .check();
  await settings.number('minTurnsToKeep').fill('3');
  await expect(settings.row('strategy').getByText(sources('changed'))).toBeVisible();
  const saving = await holdRequests(page, '**/api/settings', 'PATCH');
  await page.getByRole('button', { name: save('save'), exact: true }).click();
  // A value typed while the request runs is kept, even if it equals the default, and so is the focus.
  await settings.number('minTurnsToKeep').fill('2');
  saving.open();
  await expect(page.getByText(save('saved', { count: 2 }))).toBeVisible();
  await expect(page.getByText(save('changes', { count: 1 }))).toBeVisible();
  await expect(settings.number('minTurnsToKeep')).toHaveValue('2');
  await expect(settings.number('minTurnsToKeep')).toBeFocused();
  await settings.number('minTurnsToKeep').fill('3');
  await expect(page.getByText(save('changes', { count: 1 }))).toHaveCount(0);
  await page.reload();
  await expect(settings.number('minTurnsToKeep')).toHaveValue('3');
  await expect(settings.row('strategy').getByText(sources('stored'))).toBeVisible();
  await page.getByRole('button', { name: /^Strategy: back to the default$/ }).click();
  await page.getByRole('button', { name: /^Newest turns kept: back to the default$/ }).click();
  await settings.save(2);
  await expect(settings.number('minTurnsToKeep')).toHaveValue('2');
  await expect(settings.row('minTurnsToKeep').getByText(sources('default'), { exact: true })).toBeVisible();

  await settings.open(server.url, 'system');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: tBackup('download') }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^throughline-.*\.db$/);
  expect(await download.failure()).toBeNull();

  await settings.open(server.url);
  // A browser asks only where the user has done something on the page.
  await settings.number('maxSteps').click();
  await settings.number('maxSteps').fill('6');
  await expect(page.getByText(save('changes', { count: 1 }))).toBeVisible();
  page.once('dialog', (asked) => void asked.dismiss());
  const leaving = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  expect((await leaving).type()).toBe('beforeunload');
});

test('a WordPress site is tried from the keyboard, connected, and worked on', async ({
  desk: _,
  page,
  startOwnScripted,
}) => {
  const wordpress = await startWordPressStub();
  try {
    const { server } = await startOwnScripted(think);
    await page.goto(`${server.url}${settingsPagePath('site')}`);
    const section = page.getByRole('region', { name: sites('title'), exact: true });
    await expect(section.getByText(sites('empty'))).toBeVisible();
    await section.getByRole('button', { name: sites('connect') }).press('Enter');
    const dialog = page.getByRole('dialog', { name: sites('form.addTitle') });
    await expect(dialog.getByLabel(sites('form.url'))).toBeFocused();
    // No web server in front of this site requires HTTP authentication.
    for (const word of [wordpress.url, STUB_USER.username, 'wrong', '']) {
      await page.keyboard.type(word);
      await page.keyboard.press('Tab');
    }
    await expect(dialog.getByRole('button', { name: sites('form.test') })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.locator('[data-ok=false]')).toBeVisible();
    await expectAccessibleOnPhone(page);
    // An outcome is about what was typed when it was asked for.
    const answer = createGate();
    await page.route('**/api/settings/sites/test', async (route) => {
      await answer.opened;
      await route.continue();
    });
    const tryOut = dialog.getByRole('button', { name: sites('form.test') });
    await tryOut.press('Enter');
    await dialog.getByLabel(sites('form.password')).fill(STUB_USER.password);
    answer.open();
    await expect(tryOut).toBeEnabled();
    await expect(dialog.locator('[data-ok]')).toHaveCount(0);
    await page.keyboard.press('Enter');
    const row = section.getByRole('article', { name: 'Stub & Sons' });
    await row.getByRole('button', { name: sites('workOf', { name: 'Stub & Sons' }) }).press('Enter');
    const asked = page.getByRole('alertdialog', { name: sites('switchTo.title', { name: 'Stub & Sons' }) });
    await expectAccessibleOnPhone(page);
    await asked.getByRole('button', { name: sites('switchTo.confirm') }).press('Enter');
    await expect(row.getByText(sites('active'))).toBeVisible();
    // What was pressed is gone.
    await expect(section.getByRole('button', { name: sites('workOf', { name: sites('own') }) })).toBeFocused();
    // That switches no other user's site, and it can be chosen.
    const choice = page.getByRole('combobox', { name: tShared('sites.label') });
    await expect(choice).toHaveValue('embedded');
    await choice.selectOption({ label: `Stub & Sons (${new URL(wordpress.url).host})` });
    await expect(choice).not.toHaveValue('embedded');
    await page.goto(`${server.url}/library/changes`);
    await expect(page.getByRole('link', { name: sites('badge', { name: 'Stub & Sons' }) })).toBeVisible();

    // A section of a kind that we know is edited as on our own site; a block that is not ours leads into WordPress.
    await page.goto(`${server.url}${deskPagePath('/kilns')}`);
    const hand = new PageUnderHand(page);
    await expect(page.getByText(tPreview('look.gaps.no-companion'))).toBeVisible();
    await hand.click('[data-kind=text] .site-prose p');
    await hand.bar.getByRole('button', { name: tPageSections('edit'), exact: true }).click();
    const panel = page.getByRole('dialog', { name: kindName('text') });
    await expect(panel.getByText('All about Kilns.')).toBeVisible();
    await escapeFrom(panel);
    await hand.click('[data-kind=html]');
    const opened = page.waitForEvent('popup');
    await page.context().route(`${wordpress.url}/wp-admin/**`, (route) => route.fulfill({ body: 'WordPress' }));
    await hand.bar.getByRole('button', { name: tPageSections('editInCms') }).click();
    expect((await opened).url()).toBe(`${wordpress.url}/wp-admin/post.php?post=7&action=edit`);

    // With the plugin the draft is shown as WordPress shows it, without scripts, and its sections are chosen there.
    wordpress.addCompanion();
    await page.reload();
    await expect(page.getByText(tPreview('look.draft'))).toBeVisible();
    await hand.ready();
    const theirs = hand.frame.contentFrame();
    await expect(theirs.getByText('A theme')).toBeVisible();
    await expect(theirs.locator('main')).toHaveCSS('color', 'rgb(10, 20, 30)');
    expect(await hand.frame.evaluate((frame: HTMLIFrameElement) => frame.contentDocument?.title)).toBe('');
    await hand.click('[data-section] + [data-section]');
    await expect(hand.bar.getByRole('button', { name: tPageSections('editInCms') })).toBeVisible();
    // Its frame follows what the page does.
    await expect(async () => {
      const framed = (await page.locator('[data-chosen]').boundingBox())!;
      const block = (await theirs.getByText('Cart of the shop').boundingBox())!;
      expect(framed.y).toBeLessThan(block.y);
      expect(framed.y + framed.height).toBeGreaterThan(block.y + block.height);
    }).toPass();
    await page.getByRole('button', { name: tPreview('look.toOurs') }).click();
    await expect(page.getByText(tPreview('look.ours'))).toBeVisible();
    await expect(hand.frame.contentFrame().locator('.site-entry')).toBeVisible();
  } finally {
    wordpress.close();
  }
});
