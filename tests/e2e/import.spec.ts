import { readFileSync } from 'node:fs';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const tImport = translator('import');
const tChangesPage = translator('changesPage');
const t = translator('changes');
const FILE = 'tests/fixtures/wxr/odd-site.xml';
const FILENAME = 'odd-site.xml';

test('a site is imported, its report read, imported again without duplicates, undone, exported', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(`${server.url}/library/import`);
  // Loaded by the page itself, which therefore listens to its fields by now.
  await expect(page.getByText(tImport('past.empty'))).toBeVisible();
  const choose = (file: Parameters<typeof page.setInputFiles>[1]) =>
    page.getByLabel(tImport('import.choose'), { exact: true }).and(page.locator('input')).setInputFiles(file);

  await choose({ name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') });
  await expect(page.getByRole('alert').filter({ hasText: tImport('import.zipped') })).toBeVisible();

  await choose({ name: 'broken.xml', mimeType: 'text/xml', buffer: Buffer.from('<rss><channel>') });
  await page.getByRole('button', { name: tImport('import.look') }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText(/./);
  await page.getByRole('button', { name: tImport('import.again') }).click();

  await choose(FILE);
  await page.getByLabel(tImport('import.pictures')).uncheck();
  await page.getByRole('button', { name: tImport('import.look') }).click();
  await expect(page.getByRole('region', { name: tImport('preview.title') })).toContainText(tImport('preview.body'));
  await expect(page.getByText(tImport('past.empty'))).toBeVisible();

  await page.getByRole('button', { name: tImport('import.start'), exact: true }).click();
  const card = page.getByRole('region', { name: FILENAME });
  await expect(card.getByRole('status')).toContainText(/^[\d,]+ new/);
  await expect(card.getByRole('heading', { name: FILENAME })).toBeFocused();
  const pages = card.getByRole('row', { name: tImport('report.kinds.page') });
  expect(Number(await pages.getByRole('cell').first().innerText())).toBeGreaterThan(2);
  const comments = card.getByRole('listitem').filter({ hasText: 'comment' }).first();
  await comments.locator('summary').click();
  await expect(comments.getByRole('paragraph')).toBeVisible();

  await choose(FILE);
  await page.getByLabel(tImport('import.pictures')).uncheck();
  await page.getByRole('button', { name: tImport('import.start'), exact: true }).click();
  await expect(card.getByRole('status')).toContainText(tImport('run.nothing'));

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: tImport('export.download') }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('Hello & welcome');

  const first = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: FILENAME }) });
  await first.getByRole('button', { name: FILENAME }).first().click();
  await first.getByRole('button', { name: tImport('run.undoLabel', { filename: FILENAME }) }).click();
  const dialog = page.getByRole('alertdialog', { name: tImport('run.undoTitle', { filename: FILENAME }) });
  await dialog.getByRole('button', { name: /^Undo \d+ changes$/ }).click();
  await expect(page.getByText(/changes undone$/)).toBeVisible();
  await first.getByRole('link', { name: tImport('run.changesLabel', { filename: FILENAME }) }).click();
  await expect(page.getByRole('button', { name: tChangesPage('onlyImport') })).toBeVisible();
  await expect(page.getByText(t('undone')).first()).toBeVisible();
});
