import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom } from '#tests/e2e/support/waits';
import { startProductionServer } from '#tests/support/production-server';

const tPageSettings = translator('pageSettings');
const t = translator('preview');
const tCommand = translator('command');
const tShared = translator('shared');

// Without the fixture `desk`: the browser reports every request that gets no answer.
test('a lost network and a killed server are reported and reconnected, with nothing lost', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-gone-'));
  const databaseFile = join(folder, 'site.db');
  let server = await startProductionServer({ databaseFile, seed: true });
  try {
    const desk = new Workspace(page);
    const lost = page.getByText(tShared('connection.lost'));
    await page.goto(server.url);
    await desk.ask('List the pages');
    await page.context().setOffline(true);
    await expect(lost).toBeVisible();
    await page.keyboard.press('Control+k');
    await escapeFrom(page.getByRole('dialog', { name: tCommand('label') }));
    // The code of the settings is not loaded yet.
    await desk.chooseOfPage(tShared('page.settings'));
    const heading = desk.preview.getByRole('heading', { level: 1 });
    await desk.chooseOfPage(t('reload'));
    await expect(heading).toHaveCount(0);
    await page.context().setOffline(false);
    await expect(lost).toBeHidden();
    await expect(heading).toBeVisible();
    const settings = page.getByRole('dialog', { name: tPageSettings('title') });
    await expect(settings).toBeVisible();
    await escapeFrom(settings);
    await expect(await desk.ask('List the posts')).toContainText('Saltmarsh');

    await server.kill();
    await expect(lost).toBeVisible();
    await expect(desk.answers).toHaveCount(2);
    await desk.composer.fill('What did I ask first?');
    // Side by side: what it says when it is found does not stay until the test has found it, too.
    const isFound = page.getByText(tShared('connection.back')).waitFor();
    const restarted = startProductionServer({ databaseFile, port: Number(new URL(server.url).port) });
    [server] = await Promise.all([restarted, isFound]);
    await expect(lost).toBeHidden();
    await expect(desk.composer).toHaveValue('What did I ask first?');
    await desk.composer.press('Enter');
    await expect(desk.answers.last()).toContainText('List the pages');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
