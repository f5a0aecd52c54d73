import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom } from '#tests/e2e/support/waits';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const tPageSettings = translator('pageSettings');
const t = translator('preview');
const tCommand = translator('command');
const tShared = translator('shared');

/** A server that can be ended and started again at the same address, with the same database. */
async function startAgain(former: ProductionServer): Promise<ProductionServer> {
  return startProductionServer({ databaseFile: former.databaseFile, port: Number(new URL(former.url).port) });
}

// Without the fixture `desk`: the browser reports every request that gets no answer.
test('a lost server is reported, and reconnected automatically, with nothing lost', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-gone-'));
  let server = await startProductionServer({ databaseFile: join(folder, 'site.db'), seed: true });
  try {
    const desk = new Workspace(page);
    await page.goto(server.url);
    await desk.ask('List the pages');
    await server.kill();
    await expect(page.getByText(tShared('connection.lost'))).toBeVisible();
    await expect(desk.answers).toHaveCount(1);
    await desk.composer.fill('What did I ask first?');

    // Side by side: what it says when it is found does not stay until the test has found it, too.
    const isFound = page.getByText(tShared('connection.back')).waitFor();
    [server] = await Promise.all([startAgain(server), isFound]);
    await expect(page.getByText(tShared('connection.lost'))).toBeHidden();
    await expect(desk.composer).toHaveValue('What did I ask first?');
    await desk.composer.press('Enter');
    await expect(desk.answers.last()).toContainText('List the pages');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a browser without network shows it immediately, and continues when it is back', async ({ page }) => {
  const desk = new Workspace(page);
  await page.goto('/');
  await desk.ask('List the pages');
  await page.context().setOffline(true);
  await expect(page.getByText(tShared('connection.lost'))).toBeVisible();
  await page.keyboard.press('Control+k');
  await escapeFrom(page.getByRole('dialog', { name: tCommand('label') }));
  // The code of the settings is not loaded yet.
  await desk.chooseOfPage(tShared('page.settings'));
  const heading = desk.preview.getByRole('heading', { level: 1 });
  await desk.chooseOfPage(t('reload'));
  await expect(heading).toHaveCount(0);
  await page.context().setOffline(false);
  await expect(page.getByText(tShared('connection.lost'))).toBeHidden();
  await expect(heading).toBeVisible();
  await expect(page.getByRole('dialog', { name: tPageSettings('title') })).toBeVisible();
  await expect(await desk.ask('What did I ask first?')).toContainText('List the pages');
});
