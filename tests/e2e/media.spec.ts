import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { LIBRARY_MEDIA_PATH } from '#components/workspace/navigation.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom, holdRequests } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';
import type { ParsedRequest } from '#tests/support/request-log';

const t = translator('attachment');
const tLibrary = translator('library.media');
const tShared = translator('shared');

const picture = async (name: string, colour: string, width = 320) => ({
  name,
  mimeType: 'image/png',
  buffer: await colouredPicture(colour, { width, height: 200 }),
});

/** Adds the attached picture to the library, then makes a page that shows it. */
function useAttachment({ messages }: ParsedRequest) {
  const results = messages.filter(({ role }) => role === 'tool');
  if (results.length === 0) return { toolCalls: [{ id: 'c1', name: 'add_media', input: { file: 'mug.png' } }] };
  const src = /\/media\/ast_[a-z0-9]{6}\/mug\.png/.exec(JSON.stringify(results))?.[0] ?? '';
  const input = { type: 'page', title: 'Gift shop', sections: [{ type: 'image', fields: { src } }] };
  if (results.length === 1) return { toolCalls: [{ id: 'c2', name: 'create_content', input }] };
  const lacksAlt = JSON.stringify(results.at(-1)).includes('alt is missing');
  return { text: `It is on the page. ${lacksAlt ? 'What does it show?' : ''}` };
}

async function choose(page: Page, button: string, ...files: readonly object[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button, exact: true }).click();
  await (await chooser).setFiles(files as never);
}

/** The width of the picture in the page, once it is loaded. */
const widthOf = (image: Locator) =>
  expect.poll(() =>
    image
      .evaluate((element: HTMLImageElement) => (element.naturalWidth > 0 ? Number(element.getAttribute('width')) : 0))
      .catch(() => 0),
  );

/** Describes the picture; a text that is typed while it is being saved stays. */
async function describe(page: Page, sheet: Locator): Promise<void> {
  const saving = await holdRequests(page, '**/api/content/media/*', 'PATCH');
  const alt = sheet.getByLabel(tLibrary('alt'), { exact: true });
  await alt.fill('A mug at dawn');
  await sheet.getByRole('button', { name: tShared('common.save') }).click();
  await alt.fill('A mug at dusk');
  saving.open();
  await expect(sheet).not.toContainText(tLibrary('altMissing'));
  await expect(alt).toHaveValue('A mug at dusk');
  // Leaving now would lose it.
  await page.keyboard.press('Escape');
  const question = page.getByRole('alertdialog', { name: tLibrary('leaveTitle') });
  await escapeFrom(question);
  await alt.fill('A mug at dawn');
}

test('an attached picture goes onto a page, and is described, replaced and removed', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(useAttachment);
  const api = createApiClient({ baseUrl: server.url });
  await page.goto(server.url);
  // From then on the page hears what is pressed.
  await expect(desk.composer).toBeFocused();
  await choose(page, t('add'), await picture('mug.png', '#2b5bd7'));
  await desk.ask('Put this onto a new page, Gift shop');
  await expect(desk.answers.last()).toContainText('What does it show?');
  await widthOf(desk.preview.locator('img[src$="/mug.png"]')).toBe(320);
  await api.publish('page', 'gift-shop');

  await page.goto(`${server.url}${LIBRARY_MEDIA_PATH}`);
  const grid = page.getByRole('list', { name: tLibrary('grid'), exact: true });
  await expect(grid.getByRole('listitem')).toHaveCount(1);
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
  await choose(page, tLibrary('add'), await picture('kiln.png', '#b5651d'), notes);
  await expect(grid.getByRole('listitem')).toHaveCount(2);
  const uploads = page.getByRole('list', { name: tLibrary('uploads') });
  await expect(uploads).toContainText(tLibrary('notAPicture'));
  await page.getByRole('button', { name: tLibrary('dismiss', { filename: 'notes.txt' }) }).click();
  await expect(uploads).toHaveCount(0);

  await page.getByRole('button', { name: `mug.png ${tLibrary('undescribed')}` }).press('Enter');
  const sheet = page.getByRole('dialog', { name: 'mug.png' });
  await expect(sheet).toContainText(tLibrary('altMissing'));
  await expect(sheet).toContainText('Gift shop');
  await describe(page, sheet);
  await escapeFrom(sheet);
  const opener = page.getByRole('button', { name: 'mug.png A mug at dawn' });
  await expect(opener).toBeFocused();
  await page.getByLabel(tLibrary('undescribedOnly')).check();
  await expect(grid.getByRole('listitem')).toHaveText([/kiln\.png/]);
  await page.getByLabel(tLibrary('undescribedOnly')).uncheck();

  const visitor = await page.context().newPage();
  await visitor.goto(`${server.url}/site/gift-shop`);
  const seen = visitor.locator('.site-entry img');
  await widthOf(seen).toBe(320);
  await opener.click();
  const tags = sheet.getByLabel(tLibrary('tags'));
  await tags.fill('clay');
  await choose(page, tLibrary('replace'), await picture('other.png', '#3f7d3a', 480));
  // Under the pointer it stays, with its way back.
  await page.getByText(tLibrary('replaced')).hover();
  await expect(sheet).toContainText('480 × 200');
  // Replacing the file keeps unsaved fields.
  await expect(tags).toHaveValue('clay');
  await tags.fill('');
  await visitor.reload();
  await widthOf(seen).toBe(480);
  await page.getByRole('button', { name: tLibrary('undo') }).click();
  await expect(sheet).toContainText('320 × 200');
  await visitor.reload();
  await widthOf(seen).toBe(320);

  // In the trash it is still shown where a page uses it.
  await sheet.getByRole('button', { name: tLibrary('trash') }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('“Gift shop”');
  await question.getByRole('button', { name: tLibrary('trash') }).click();
  await expect(grid.getByRole('listitem')).toHaveText([/kiln\.png/]);
  await visitor.reload();
  await widthOf(seen).toBe(320);
  await visitor.close();
});
