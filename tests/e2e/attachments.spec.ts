import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';
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

test('an image and a text are sent with the first message, seen by the model, and reloaded', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(() => ({ text: 'A kiln shelf, and two prices.' }));
  await page.goto(scripted.server.url);
  // From then on the page hears what is pressed.
  await expect(desk.composer).toBeFocused();
  await choose(page, kiln, prices);
  await expect(chips(page).getByRole('listitem')).toHaveText([/kiln\.png/, /prices\.csv/]);
  await desk.send('What is this?');
  await expect(desk.answers.last()).toContainText('A kiln shelf');
  await expect(chips(page)).toHaveCount(0);

  const told = newestRequest(scripted.provider.requests[0]!);
  expect(told).toContain(kiln.buffer.toString('base64'));
  expect(told).toContain('<attached-file name=\\"prices.csv\\">\\nMug,24');

  const image = sentFiles(page).getByRole('img', { name: 'kiln.png' });
  for (const visit of ['sent', 'reloaded']) {
    await expect(image, visit).toBeVisible();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(320);
    if (visit === 'sent') await page.reload();
  }
  const served = await page.request.get(`${scripted.server.url}${(await image.getAttribute('src')) ?? ''}`);
  expect(served.headers()).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; sandbox/),
  });
  await page.getByRole('button', { name: t('view', { name: 'kiln.png' }) }).click();
  await expect(page.getByRole('dialog', { name: 'kiln.png' }).getByRole('img')).toBeVisible();
  await escapeFrom(page.getByRole('dialog'));
  await page.getByRole('button', { name: t('view', { name: 'prices.csv' }) }).click();
  await expect(page.getByRole('dialog', { name: 'prices.csv' })).toContainText('Bowl,32');
  await escapeFrom(page.getByRole('dialog'));
});

test('files are dropped on the conversation, one is removed, and refused ones name the reason', async ({
  desk,
  page,
}) => {
  await page.goto('/');
  // From then on the page hears what is dropped.
  await expect(desk.composer).toBeFocused();
  const drop = async (...files: readonly (typeof kiln)[]) => {
    const transfer = await transferOf(page, files);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    await expect(page.getByText(t('drop'))).toBeVisible();
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await expect(page.getByText(t('drop'))).toHaveCount(0);
  };
  await drop(kiln, prices);
  await expect(chips(page).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: t('remove', { name: 'kiln.png' }) }).click();
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/]);

  const big = { name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(5_000_001) };
  const pdf = { name: 'menu.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  const long = { name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(200_001, 'a') };
  await drop(big, pdf, long);
  for (const reason of [
    t('imageTooLarge', { name: 'big.png' }),
    t('unsupported', { name: 'menu.pdf' }),
    t('textTooLarge', { name: 'long.txt' }),
  ]) {
    await expect(page.getByText(reason)).toBeVisible();
  }
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/]);

  await page.getByRole('button', { name: t('remove', { name: 'prices.csv' }) }).click();
  const many = Array.from({ length: 11 }, (_, index) => ({ ...prices, name: `prices-${index}.csv` }));
  await drop(...many);
  await expect(chips(page).getByRole('listitem')).toHaveCount(10);
  await expect(page.getByText(t('tooMany'))).toBeVisible();
});

test('a screenshot is pasted as a file; text copied with its picture stays text', async ({ desk, page }) => {
  // The conversation is created late: messages written before that keep their file.
  const created = createGate();
  await page.route('**/api/sessions', async (route) => {
    if (route.request().method() === 'POST') await created.opened;
    await route.continue();
  });
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  await desk.send('Before the picture');
  const paste = async (text?: string) => {
    const transfer = await transferOf(page, [kiln], text);
    await desk.composer.evaluate((field, data) => {
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      field.dispatchEvent(event);
    }, transfer);
  };
  await paste('Mug');
  await expect(chips(page)).toHaveCount(0);
  await paste();
  await expect(chips(page).getByRole('listitem')).toHaveText([/kiln\.png/]);
  // The basic assistant cannot see it; the notice comes before sending.
  await expect(page.getByText(t('unseen', { model: 'Basic assistant' }))).toBeVisible();
  await desk.send('List the pages');
  created.open();
  await expect(desk.requests).toHaveText([/Before the picture/, /List the pages/]);
  await expect(desk.answers.last()).toContainText('do not read attached files');
  await expect(chips(page)).toHaveCount(0);
  await expect(desk.composer).toHaveValue('');
  await expect(desk.composer).toBeEditable();
});
