import type { Page } from '@playwright/test';
import { attachmentStrings, queueStrings } from '#components/chat/text/words.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';
import { pngImage } from '#tests/support/attached-files';

const words = attachmentStrings;
const kiln = { name: 'kiln.png', mimeType: 'image/png', buffer: pngImage(320, 200) };
const prices = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('Mug,24\nBowl,32') };

const chips = (page: Page) => page.locator('form').getByRole('list', { name: words.label });
const sentFiles = (page: Page) => page.getByRole('log').getByRole('list', { name: words.label });

/** Chooses files as the system's dialog would. */
async function choose(page: Page, ...files: readonly (typeof kiln)[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: words.add }).click();
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

test('an image and a text are chosen, sent with the first message, seen by the model, and there after a reload', async ({
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
  await page.getByRole('button', { name: words.view('kiln.png') }).click();
  await expect(page.getByRole('dialog', { name: 'kiln.png' }).getByRole('img')).toBeVisible();
  await escapeFrom(page.getByRole('dialog'));
  await page.getByRole('button', { name: words.view('prices.csv') }).click();
  await expect(page.getByRole('dialog', { name: 'prices.csv' })).toContainText('Bowl,32');
  await escapeFrom(page.getByRole('dialog'));
});

test('a screenshot is pasted; a text that comes with its picture stays a text', async ({ desk, page }) => {
  // The conversation is created late: what is written meanwhile goes along with its file.
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
  // The basic assistant cannot see it, and says so before it is sent.
  await expect(page.getByText(words.unseen('Basic assistant'))).toBeVisible();
  await desk.send('List the pages');
  created.open();
  await expect(desk.requests).toHaveText([/Before the picture/, /List the pages/]);
  await expect(desk.answers.last()).toContainText('do not read attached files');
  await expect(chips(page)).toHaveCount(0);
  await expect(desk.composer).toHaveValue('');
  await expect(desk.composer).toBeEditable();
});

test('files are dropped on the conversation, one is removed, and each that cannot be attached says why', async ({
  desk,
  page,
}) => {
  await page.goto('/');
  // From then on the page hears what is dropped.
  await expect(desk.composer).toBeFocused();
  const drop = async (...files: readonly (typeof kiln)[]) => {
    const transfer = await transferOf(page, files);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    await expect(page.getByText(words.drop)).toBeVisible();
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await expect(page.getByText(words.drop)).toHaveCount(0);
  };
  await drop(kiln, prices);
  await expect(chips(page).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: words.remove('kiln.png') }).click();
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/]);

  const big = { name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(5_000_001) };
  const pdf = { name: 'menu.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  const long = { name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(200_001, 'a') };
  await drop(big, pdf, long);
  for (const reason of [
    words.imageTooLarge('big.png'),
    words.unsupported('menu.pdf'),
    words.textTooLarge('long.txt'),
  ]) {
    await expect(page.getByText(reason)).toBeVisible();
  }
  await expect(chips(page).getByRole('listitem')).toHaveText([/prices\.csv/]);

  await page.getByRole('button', { name: words.remove('prices.csv') }).click();
  const many = Array.from({ length: 11 }, (_, index) => ({ ...prices, name: `prices-${index}.csv` }));
  await drop(...many);
  await expect(chips(page).getByRole('listitem')).toHaveCount(10);
  await expect(page.getByText(words.tooMany)).toBeVisible();
});

test('a file that the server does not take stays, says why, and the rest can be sent without it', async ({ page }) => {
  // Not the fixture: the browser reports every request that was refused, and one is to be.
  const desk = new Workspace(page);
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from(kiln.buffer).fill(0, 16, 24) };
  await choose(page, broken, prices);
  await desk.send('Find posts about crazing');
  await expect(page.getByText(/“broken\.png” could not be sent: The image is damaged/)).toBeVisible();
  await expect(desk.composer).toHaveValue('Find posts about crazing');
  await expect(chips(page).getByRole('listitem')).toHaveText([/broken\.png.*damaged/, /prices\.csv/]);
  // Nothing was begun that would be left behind.
  await expect(desk.sidebar.getByRole('link', { name: 'Find posts about crazing' })).toHaveCount(0);

  await page.getByRole('button', { name: words.remove('broken.png') }).click();
  await desk.composer.press('Enter');
  await expect(desk.requests).toHaveText([/Find posts about crazing/]);
  await expect(sentFiles(page)).toContainText('prices.csv');
  await expect(chips(page)).toHaveCount(0);
});

test('files wait with the text that they belong to, and survive an edit', async ({ desk, page, startScripted }) => {
  const gate = createGate();
  const scripted = await startScripted(async (request) => {
    if (newestRequest(request).includes('Begin')) await gate.opened;
    return { text: 'Done.' };
  });
  await page.goto(scripted.server.url);
  await desk.send('Begin');
  await expect(desk.stopButton).toBeVisible();
  await choose(page, kiln);
  await desk.send('Look at thsi');
  await expect(desk.waiting('Look at thsi')).toContainText('kiln.png');
  await desk.waiting('Look at thsi').getByRole('button', { name: queueStrings.edit }).click();
  const edit = page.getByRole('textbox', { name: queueStrings.editLabel });
  await edit.fill('Look at this');
  await edit.press('Enter');
  await expect(desk.waiting('Look at this')).toContainText('kiln.png');
  gate.open();
  await expect(desk.queue).toHaveCount(0);
  await desk.untilIdle();
  await expect(sentFiles(page).getByRole('img', { name: 'kiln.png' })).toBeVisible();
  await expect.poll(() => newestRequest(scripted.provider.requests.at(-1)!)).toContain(kiln.buffer.toString('base64'));
});
