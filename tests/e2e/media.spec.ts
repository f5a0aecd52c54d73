import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';

const t = translator('attachment');
const tShared = translator('shared');

const tLibrary = translator('library.media');
const picture = async (name: string, colour: string, width = 320) => ({
  name,
  mimeType: 'image/png',
  buffer: await colouredPicture(colour, { width, height: 200 }),
});

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

test('pictures are added, described, shown on the site, replaced and brought back', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(`${server.url}/library/media`);
  await expect(page.getByText(tLibrary('empty'))).toBeVisible();
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
  await choose(page, tLibrary('add'), await picture('kiln.png', '#b5651d'), await picture('mug.png', '#2b5bd7'), notes);
  const grid = page.getByRole('list', { name: tLibrary('grid'), exact: true });
  await expect(grid.getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('list', { name: tLibrary('uploads') })).toContainText(tLibrary('notAPicture'));
  await page.getByRole('button', { name: tLibrary('dismiss', { filename: 'notes.txt' }) }).click();
  await expect(page.getByRole('list', { name: tLibrary('uploads') })).toHaveCount(0);

  const opener = page.getByRole('button', { name: `kiln.png ${tLibrary('undescribed')}` });
  await opener.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'kiln.png' });
  await expect(sheet).toContainText(tLibrary('altMissing'));
  await sheet.getByLabel(tLibrary('alt'), { exact: true }).fill('A kiln at dawn');
  await expect(sheet.getByRole('button', { name: tShared('common.save') })).toBeEnabled();
  await page.keyboard.press('Escape');
  const asksToLeave = page.getByRole('alertdialog', { name: tLibrary('leaveTitle') });
  await expect(asksToLeave).toBeVisible();
  // The next key is for it only once it has the focus.
  await expect(asksToLeave.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(asksToLeave).toHaveCount(0);
  const saving = createGate();
  await page.route('**/api/content/media/*', async (route) => {
    if (route.request().method() === 'PATCH') await saving.opened;
    await route.continue();
  });
  await sheet.getByRole('button', { name: 'Save' }).click();
  const alt = sheet.getByLabel(tLibrary('alt'), { exact: true });
  await alt.fill('A kiln at dusk');
  saving.open();
  await expect(sheet).not.toContainText(tLibrary('altMissing'));
  // Text typed before the answer arrives stays.
  await expect(alt).toHaveValue('A kiln at dusk');
  await alt.fill('A kiln at dawn');
  await expect(sheet).toContainText(tLibrary('unused'));
  const url = await sheet.locator('code').innerText();
  await escapeFrom(sheet);
  await expect(page.getByRole('button', { name: 'kiln.png A kiln at dawn' })).toBeFocused();
  await page.getByLabel(tLibrary('undescribedOnly')).check();
  await expect(grid.getByRole('listitem')).toHaveText([/mug\.png/]);
  await page.getByLabel(tLibrary('undescribedOnly')).uncheck();

  const sections = [{ type: 'image', fields: { src: url, alt: 'A kiln at dawn' } }];
  const made = await page.request.post(`${server.url}/api/content/pages`, { data: { title: 'Firing', sections } });
  expect(made.status()).toBe(201);
  await page.request.post(`${server.url}/api/content/pages/firing/publish`);
  const visitor = await page.context().newPage();
  const shown = visitor.getByRole('img', { name: 'A kiln at dawn' });
  await visitor.goto(`${server.url}/site/firing`);
  await widthOf(shown).toBe(320);

  await page.getByRole('button', { name: 'kiln.png A kiln at dawn' }).click();
  await expect(sheet).toContainText('Firing');
  await sheet.getByLabel(tLibrary('tags')).fill('clay');
  await choose(page, tLibrary('replace'), await picture('other.png', '#3f7d3a', 480));
  // Under the pointer it stays, with its way back.
  await page.getByText(tLibrary('replaced')).hover();
  await expect(sheet).toContainText('480 × 200');
  await expect(sheet.getByLabel(tLibrary('tags'))).toHaveValue('clay');
  await sheet.getByLabel(tLibrary('tags')).fill('');
  await visitor.reload();
  await widthOf(shown).toBe(480);
  await page.getByRole('button', { name: tLibrary('undo') }).click();
  await expect(sheet).toContainText('320 × 200');
  await visitor.reload();
  await widthOf(shown).toBe(320);

  await sheet.getByRole('button', { name: tLibrary('trash') }).click();
  const asked = page.getByRole('alertdialog');
  await expect(asked).toContainText('“Firing”');
  await asked.getByRole('button', { name: tLibrary('trash') }).click();
  await expect(grid.getByRole('listitem')).toHaveText([/mug\.png/]);
  await visitor.reload();
  await widthOf(shown).toBe(320);
  await visitor.close();
});

test('an attached image goes into the library and onto a page', async ({ desk, page, startScripted }) => {
  let url = '';
  const { server } = await startScripted((request) => {
    const results = request.messages.filter(({ role }) => role === 'tool');
    if (!newestRequest(request).includes('Gift shop')) return { text: 'Yes.' };
    if (results.length === 0) return { toolCalls: [{ id: 'c1', name: 'add_media', input: { file: 'mug.png' } }] };
    url = /\/media\/ast_[a-z0-9]{6}\/mug\.png/.exec(JSON.stringify(results))?.[0] ?? '';
    const sections = [{ type: 'image', fields: { src: url } }];
    const input = { type: 'page', title: 'Gift shop', sections };
    if (results.length === 1) return { toolCalls: [{ id: 'c2', name: 'create_content', input }] };
    return {
      text: `It is on the page. ${JSON.stringify(results.at(-1)).includes('alt is missing') ? 'What does it show?' : ''}`,
    };
  });
  await page.goto(server.url);
  // From then on the page hears what is pressed.
  await expect(desk.composer).toBeFocused();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: t('add') }).click();
  await (await chooser).setFiles([await picture('mug.png', '#2b5bd7')]);
  await desk.send('Put this onto a new page, Gift shop');
  await expect(desk.answers.last()).toContainText('What does it show?');
  await widthOf(desk.preview.locator(`img[src="${url}"]`)).toBe(320);
  const api = createApiClient({ baseUrl: server.url });
  const { items } = await api.get<{ items: { url: string; alt: string }[] }>('/api/content/media?missingAlt=1');
  expect(items).toMatchObject([{ url, alt: '' }]);
});
