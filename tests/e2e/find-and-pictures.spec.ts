import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { think } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';
import { expect, test } from '#tests/e2e/support/desk-test';
import { colouredPicture } from '#tests/support/pictures';

const t = translator('findOnPage');
const tReplace = translator('pages.replace');
const tShared = translator('shared');
const tText = translator('richText');
const tPicture = translator('richText.picture');
const tSource = translator('sectionPanel.picture');

test('an editor finds a text on the page by keyboard, edits it there, and replaces it', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const text = (body: string) => ({ type: 'text' as const, fields: { body } });
  const { entry } = await api.createEntry('page', {
    title: 'Kilns',
    slug: 'kilns',
    // One of the matches crosses an end of bold words.
    sections: [text('The old **ki**ln is warm.'), text('A new kiln.\n\nNot the KILNS of others.')],
  });
  const bodies = async () =>
    (await api.get(paths.entry('page', entry.id))).draft.sections.map(({ fields }) => fields['body']);

  await page.goto(`${server.url}/?page=kilns`);
  const hand = new PageUnderHand(page);
  await hand.ready();
  await hand.surface.press('Control+f');
  const bar = page.getByRole('search', { name: t('label') });
  const field = bar.getByRole('textbox', { name: t('field') });
  await expect(field).toBeFocused();
  await field.fill('kiln');
  await expect(bar).toContainText(t('count', { place: 1, count: 4 }));
  await field.press('Enter');
  await field.press('Enter');
  await expect(bar).toContainText(t('count', { place: 3, count: 4 }));
  const marked = () =>
    hand.frame.evaluate((frame: HTMLIFrameElement) =>
      [...((frame.contentWindow as typeof globalThis & Window).CSS.highlights.get('found-text-current') ?? [])].map(
        (range) => (range as Range).toString(),
      ),
    );
  expect(await marked()).toEqual(['kiln']);
  await expectAccessible(page);
  // A second press is for the browser.
  const isTaken = page.evaluate(
    () =>
      new Promise((resolve) => {
        addEventListener('keydown', (event) => setTimeout(() => resolve(event.defaultPrevented)), { once: true });
      }),
  );
  await field.press('Control+f');
  expect(await isTaken).toBe(false);

  await field.press('Control+Enter');
  const written = page.getByRole('textbox', { name: /^Text/ });
  await expect(written).toBeFocused();
  // The closed text is written anew, and its matches are others.
  await page.keyboard.press('Control+f');
  await expect(written).toHaveCount(0);
  await expect.poll(marked).toEqual(['kiln']);
  await field.press('Control+Enter');
  await expect(written).toBeFocused();
  // The cursor stands before the match.
  await page.keyboard.type('brick ');
  await page.keyboard.press('Control+f');
  await expect(field).toBeFocused();
  await expect.poll(bodies).toContain('A new brick kiln.\n\nNot the KILNS of others.');
  await bar.getByRole('button', { name: t('replace') }).press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel(tReplace('find'))).toHaveValue('kiln');
  await dialog.getByLabel(tReplace('with'), { exact: true }).fill('oven');
  await page.keyboard.press('Escape');
  await escapeFrom(page.getByRole('alertdialog', { name: tShared('unsaved.title') }));
  await expect(dialog.getByLabel(tReplace('with'), { exact: true })).toHaveValue('oven');
  await dialog.getByLabel(tReplace('with'), { exact: true }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: tReplace('replace', { count: 1 }) }).press('Enter');
  await expect.poll(bodies).toContain('A new brick oven.\n\nNot the KILNS of others.');
  await field.press('Escape');
  await expect(bar).toHaveCount(0);
  await expect(hand.surface).toBeFocused();
  await desk.chooseOfPage(tShared('page.find'));
  await expect(field).toBeFocused();
});

test('an editor puts a picture with a caption into a text by keyboard', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const { entry } = await api.createEntry('page', {
    title: 'Kilns',
    slug: 'kilns',
    sections: [{ type: 'text', fields: { body: 'Our kiln.' } }],
  });
  const body = async () => (await api.get(paths.entry('page', entry.id))).draft.sections[0]!.fields['body'];

  const withCaption = (month: string) =>
    new RegExp(`^Our kiln\\.\\n\\n!\\[A kiln\\]\\(/media/\\w+/kiln\\.png "Fired in ${month}"\\)$`);

  await page.goto(`${server.url}/?page=kilns`);
  const hand = new PageUnderHand(page);
  await hand.ready();
  await hand.surface.press('ArrowDown');
  await hand.surface.press('Enter');
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  await page.keyboard.press('Alt+F10');
  const tool = page.getByRole('toolbar', { name: tText('toolbar') }).getByRole('button', { name: tPicture('button') });
  await tool.press('Enter');
  const dialog = page.getByRole('dialog', { name: tPicture('insert') });
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: tSource('upload') }).press('Enter');
  const buffer = await colouredPicture('#2b5bd7', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'kiln.png', mimeType: 'image/png', buffer }]);
  await expect(dialog.getByRole('button', { name: tSource('replace') })).toBeVisible();
  await dialog.getByLabel(tPicture('alt')).fill('A kiln');
  await dialog.getByLabel(tPicture('caption')).fill('Fired in May');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(text).toBeFocused();
  await expect.poll(body).toMatch(withCaption('May'));

  // The arrow to the left selects the picture, and the same tool changes it.
  await page.keyboard.press('ArrowLeft');
  await expect(tool).toHaveAttribute('aria-pressed', 'true');
  await tool.press('Enter');
  await page
    .getByRole('dialog', { name: tPicture('edit') })
    .getByLabel(tPicture('caption'))
    .fill('Fired in June');
  await page.keyboard.press('Enter');
  await expect.poll(body).toMatch(withCaption('June'));
  await page.keyboard.press('Escape');
  await expect(desk.preview.getByRole('figure')).toContainText('Fired in June');
});
