import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';
import { pngImage } from '#tests/support/attached-files';
import { translator } from '#components/i18n.ts';

const t = translator('attachment');

const kiln = { name: 'kiln.png', mimeType: 'image/png', buffer: pngImage(320, 200) };
const prices = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('Mug,24\nBowl,32') };

const chips = (page: Page) => page.locator('form').getByRole('list', { name: t('label') });
const sentFiles = (page: Page) => page.getByRole('log').getByRole('list', { name: t('label') });

/** Chooses files as the system's dialog would. */
async function choose(page: Page, ...files: readonly (typeof kiln)[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: t('add') }).click();
  await (await chooser).setFiles([...files]);
}

/** Files in the page, as a paste or drop brings them. */
const transferOf = (page: Page, files: readonly (typeof kiln)[], text = '') =>
  page.evaluateHandle(
    ({ list, plain }) => {
      const transfer = new DataTransfer();
      for (const { name, mimeType, base64 } of list) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type: mimeType }));
      }
      if (plain !== '') transfer.setData('text/plain', plain);
      return transfer;
    },
    { list: files.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') })), plain: text },
  );

test('files are chosen, dropped and pasted, sent, seen by the model, and shown after a reload', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(() => ({ text: 'A kiln shelf, and two prices.' }));
  await page.goto(scripted.server.url);
  // From then on the page hears what is pressed or dropped.
  await expect(desk.composer).toBeFocused();
  await choose(page, prices);
  const drop = async (...files: readonly (typeof kiln)[]) => {
    const transfer = await transferOf(page, files);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    await expect(page.getByText(t('drop'))).toBeVisible();
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await expect(page.getByText(t('drop'))).toHaveCount(0);
  };
  // One that is refused names the reason.
  await drop(kiln, { name: 'menu.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
  await expect(page.getByText(t('unsupported', { name: 'menu.pdf' }))).toBeVisible();
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/, /kiln\.png/]);
  await page.getByRole('button', { name: t('remove', { name: 'kiln.png' }) }).click();
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/]);

  // A screenshot is pasted as a file; text that was copied with its picture stays text.
  const paste = async (text?: string) => {
    const transfer = await transferOf(page, [kiln], text);
    await desk.composer.evaluate((field, data) => {
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      field.dispatchEvent(event);
    }, transfer);
  };
  await paste('Mug');
  await expect(chips(page).getByRole('listitem')).toHaveCount(1);
  await paste();
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/, /kiln\.png/]);
  await desk.send('What is this?');
  await expect(desk.answers.last()).toContainText('A kiln shelf');
  await expect(chips(page)).toHaveCount(0);
  const sent = newestRequest(scripted.provider.requests[0]!);
  expect(sent).toContain(kiln.buffer.toString('base64'));
  expect(sent).toContain('<attached-file name=\\"prices.csv\\">\\nMug,24');

  const image = sentFiles(page).getByRole('img', { name: 'kiln.png' });
  for (const visit of ['sent', 'reloaded']) {
    await expect(image, visit).toBeVisible();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(320);
    if (visit === 'sent') await page.reload();
  }
  await page.getByRole('button', { name: t('view', { name: 'kiln.png' }) }).click();
  await expect(page.getByRole('dialog', { name: 'kiln.png' }).getByRole('img')).toBeVisible();
  await escapeFrom(page.getByRole('dialog'));
  await page.getByRole('button', { name: t('view', { name: 'prices.csv' }) }).click();
  await expect(page.getByRole('dialog', { name: 'prices.csv' })).toContainText('Bowl,32');
  await escapeFrom(page.getByRole('dialog'));

  // The basic assistant sees no pictures, which is said before sending.
  await desk.send('/model offline');
  await paste();
  await expect(page.getByText(t('unseen', { model: 'Basic assistant' }))).toBeVisible();
});
