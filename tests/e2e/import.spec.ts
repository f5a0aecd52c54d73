import { readFileSync } from 'node:fs';
import { changesPageStrings, importStrings } from '#components/library/words.ts';
import { changesStrings } from '#components/changes/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const { import: form, export: out, past, preview, report, run } = importStrings;
const FILE = 'tests/fixtures/wxr/odd-site.xml';
const FILENAME = 'odd-site.xml';

test('a site is imported, its report read, imported again without duplicates, undone, exported', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(`${server.url}/library/import`);
  const choose = (file: Parameters<typeof page.setInputFiles>[1]) =>
    page.getByLabel(form.choose, { exact: true }).and(page.locator('input')).setInputFiles(file);

  await choose({ name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') });
  await expect(page.getByRole('alert').filter({ hasText: form.zipped })).toBeVisible();

  await choose({ name: 'broken.xml', mimeType: 'text/xml', buffer: Buffer.from('<rss><channel>') });
  await page.getByRole('button', { name: form.look }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText(/./);
  await page.getByRole('button', { name: form.again }).click();

  await choose(FILE);
  await page.getByLabel(form.pictures).uncheck();
  await page.getByRole('button', { name: form.look }).click();
  await expect(page.getByRole('region', { name: preview.title })).toContainText(preview.body);
  await expect(page.getByText(past.empty)).toBeVisible();

  await page.getByRole('button', { name: form.start, exact: true }).click();
  const card = page.getByRole('region', { name: FILENAME });
  await expect(card.getByRole('status')).toContainText(/^[\d,]+ new/);
  await expect(card.getByRole('heading', { name: FILENAME })).toBeFocused();
  const pages = card.getByRole('row', { name: report.kinds.page });
  expect(Number(await pages.getByRole('cell').first().innerText())).toBeGreaterThan(2);
  const comments = card.getByRole('listitem').filter({ hasText: 'comment' }).first();
  await comments.locator('summary').click();
  await expect(comments.getByRole('paragraph')).toBeVisible();

  await choose(FILE);
  await page.getByLabel(form.pictures).uncheck();
  await page.getByRole('button', { name: form.start, exact: true }).click();
  await expect(card.getByRole('status')).toContainText(run.nothing);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: out.download }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('Hello & welcome');

  const first = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: FILENAME }) });
  await first.getByRole('button', { name: FILENAME }).first().click();
  await first.getByRole('button', { name: run.undoLabel(FILENAME) }).click();
  const dialog = page.getByRole('alertdialog', { name: run.undoTitle(FILENAME) });
  await dialog.getByRole('button', { name: /^Undo \d+ changes$/ }).click();
  await expect(page.getByText(/changes undone$/)).toBeVisible();
  await first.getByRole('link', { name: run.changesLabel(FILENAME) }).click();
  await expect(page.getByRole('button', { name: changesPageStrings.onlyImport })).toBeVisible();
  await expect(page.getByText(changesStrings.undone).first()).toBeVisible();
});
