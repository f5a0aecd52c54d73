import type { Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { think } from '#tests/e2e/support/scripted-model';
import { expect, test } from '#tests/e2e/support/desk-test';
import { colouredPicture } from '#tests/support/pictures';

const t = translator('findOnPage');
const tReplace = translator('pages.replace');
const tShared = translator('shared');
const tText = translator('richText');
const tPicture = translator('richText.picture');
const tSource = translator('sectionPanel.picture');

/** The words of the present match, as the page in the frame marks them; none while the frame is replaced. */
async function markedWords(frame: PageUnderHand['frame']): Promise<string[]> {
  return frame.evaluate((element: HTMLIFrameElement) => {
    const view = element.contentWindow as (typeof globalThis & Window) | null;
    return [...(view?.CSS.highlights.get('found-text-current') ?? [])].map((range) => (range as Range).toString());
  });
}

/** Puts a picture from this computer at the end of the text that is written, by keyboard. */
async function insertPicture(page: Page, tool: ReturnType<Page['getByRole']>): Promise<void> {
  await page.keyboard.press('Control+End');
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
}

test('an editor finds, edits and replaces a text on the page, and adds a picture, by keyboard', async ({
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
  await expect.poll(() => markedWords(hand.frame)).toEqual(['kiln']);
  await expectAccessible(page);

  // The text is opened with the cursor before the match.
  await field.press('Control+Enter');
  const written = page.getByRole('textbox', { name: /^Text/ });
  await expect(written).toBeFocused();
  await page.keyboard.type('brick ');
  await page.keyboard.press('Control+f');
  await expect(field).toBeFocused();
  await expect.poll(bodies).toContain('A new brick kiln.\n\nNot the KILNS of others.');
  // The closed text is written anew, and its matches are others.
  await expect(written).toHaveCount(0);
  await expect.poll(() => markedWords(hand.frame)).toEqual(['kiln']);
  await bar.getByRole('button', { name: t('replace') }).press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel(tReplace('find'))).toHaveValue('kiln');
  await dialog.getByLabel(tReplace('with'), { exact: true }).fill('oven');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: tReplace('replace', { count: 1 }) }).press('Enter');
  await expect.poll(bodies).toContain('A new brick oven.\n\nNot the KILNS of others.');
  await field.press('Escape');
  await expect(bar).toHaveCount(0);
  await expect(hand.surface).toBeFocused();

  const pictured = (month: string) =>
    new RegExp(`oven.*others\\.\\n\\n!\\[A kiln\\]\\(/media/\\w+/kiln\\.png "Fired in ${month}"\\)$`, 's');
  await hand.click('[data-kind=text]:nth-of-type(2) p');
  await hand.surface.press('Enter');
  await expect(written).toBeFocused();
  const tool = page.getByRole('toolbar', { name: tText('toolbar') }).getByRole('button', { name: tPicture('button') });
  await insertPicture(page, tool);
  await expect(written).toBeFocused();
  await expect.poll(async () => (await bodies())[1]).toMatch(pictured('May'));
  // The arrow to the left selects the picture, and the same tool changes it.
  await page.keyboard.press('ArrowLeft');
  await expect(tool).toHaveAttribute('aria-pressed', 'true');
  await tool.press('Enter');
  const edited = page.getByRole('dialog', { name: tPicture('edit') });
  await edited.getByLabel(tPicture('caption')).fill('Fired in June');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await bodies())[1]).toMatch(pictured('June'));
  await page.keyboard.press('Escape');
  await expect(desk.preview.getByRole('figure')).toContainText('Fired in June');
  await desk.chooseOfPage(tShared('page.find'));
  await expect(field).toBeFocused();
});
