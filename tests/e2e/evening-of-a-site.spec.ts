import type { Locator, Page } from '@playwright/test';
import { fieldWords, kindWords } from '#components/editor/field-words';
import { addSectionStrings, panelStrings } from '#components/editor/panel-words';
import { pointStrings } from '#components/editor/point-words';
import { siteStrings } from '#components/content/text/words';
import { LIBRARY_MESSAGES_PATH } from '#components/desk/navigation';
import { messagesStrings } from '#components/library/messages-words';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { photograph } from '#tests/support/pictures';
import type { ParsedRequest } from '#tests/support/request-log';

const FORM = {
  heading: 'Come to the open studio',
  fields: [
    { label: 'Your name', kind: 'text', required: true },
    { label: 'E-mail', kind: 'email', required: true },
  ],
  submitLabel: 'Put my name down',
};

/** Makes the page with its form, and publishes it when it is asked to. */
function assistant(request: ParsedRequest) {
  if (request.messages.at(-1)?.role === 'tool') return { text: 'Done.' };
  if (newestRequest(request).includes('Publish'))
    return { toolCalls: [{ id: 'c2', name: 'publish_content', input: { ref: 'open-studio' } }] };
  const sections = [{ type: 'form', fields: FORM }];
  return {
    toolCalls: [{ id: 'c1', name: 'create_content', input: { type: 'page', title: 'Open studio', sections } }],
  };
}

const say = panelStrings;
const saved = (panel: Locator) => expect(panel.locator('output').filter({ hasText: /^Saved$/ })).toBeVisible();

async function editSection(page: Page, kind: 'form' | 'gallery', name: string): Promise<Locator> {
  await page.getByRole('button', { name: pointStrings.outline.open, exact: true }).click();
  const row = page.getByRole('treeitem', { name: `${name} ${kindWords[kind].name}`, exact: true });
  await row.click();
  await row.press('Enter');
  return page.getByRole('dialog', { name: kindWords[kind].name });
}

test('a page with a form and a gallery is made by chat and by hand, published, answered by a visitor without scripts, and the answer is found under Messages', async ({
  desk,
  page,
  browser,
  startScripted,
}) => {
  const { server } = await startScripted(assistant);
  await page.goto(server.url);

  // By chat: the page and its form.
  await desk.ask('Make a page for the open studio, with a form for name and e-mail');
  await expect(desk.preview.getByRole('heading', { name: FORM.heading })).toBeVisible();
  await expect(desk.preview.getByLabel('Your name')).toBeVisible();

  // By hand: one more question in the form, and thanks.
  const form = await editSection(page, 'form', FORM.heading);
  await form.getByRole('button', { name: say.list.add('Field') }).click();
  await page.keyboard.type('Which evening?');
  const shown = { visible: true };
  await form.getByLabel(fieldWords('form', 'kind').label).filter(shown).selectOption('choice');
  const options = form.getByLabel(fieldWords('form', 'options').label).filter(shown);
  for (const option of ['Friday, from six', 'Saturday']) {
    await options.fill(option);
    await options.press('Enter');
  }
  await form.getByLabel(fieldWords('form', 'thanks').label).fill('See you there. Bring an apron.');
  await saved(form);
  await expect(desk.preview.getByLabel('Which evening?')).toBeVisible();
  await page.keyboard.press('Escape');

  // A gallery with two pictures from this computer, one of them cropped.
  await page.getByRole('button', { name: pointStrings.outline.open, exact: true }).click();
  await page.getByRole('button', { name: pointStrings.outline.add }).click();
  const kinds = page.getByRole('dialog', { name: addSectionStrings.title });
  await kinds.getByRole('button', { name: new RegExp(`^${kindWords.gallery.name}`) }).click();
  const gallery = page.getByRole('dialog', { name: kindWords.gallery.name });
  for (const [name, colour] of [
    ['wheel.jpg', '#b5651d'],
    ['kiln.jpg', '#2b5bd7'],
  ] as const) {
    await gallery.getByRole('button', { name: say.list.add('Picture') }).click();
    const chooser = page.waitForEvent('filechooser');
    await gallery.getByRole('button', { name: say.picture.upload }).filter(shown).click();
    const buffer = await photograph(colour, { width: 1_800, height: 1_200 });
    await (await chooser).setFiles([{ name, mimeType: 'image/jpeg', buffer }]);
    await gallery
      .getByLabel(fieldWords('gallery', 'alt').label)
      .filter(shown)
      .fill(`The ${name.slice(0, -4)}`);
    await saved(gallery);
  }
  await gallery.getByRole('button', { name: say.picture.crop.open }).filter(shown).click();
  const crop = page.getByRole('dialog', { name: say.picture.crop.title });
  // With the keys alone: the right edge moves in, the point to the left.
  const edge = crop.getByLabel(say.picture.crop.handles.eDragHandle);
  await edge.focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Control+ArrowLeft');
  const point = crop.getByLabel(say.picture.crop.point(50, 50));
  await point.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(crop.getByLabel(say.picture.crop.point(48, 50))).toBeFocused();
  await crop.getByRole('button', { name: say.picture.crop.save }).click();
  await expect(crop).toHaveCount(0);
  await expect(gallery.getByText(say.picture.part).filter(shown)).toBeVisible();
  await saved(gallery);
  await page.keyboard.press('Escape');

  // Nothing of it is public yet.
  expect((await page.request.get(`${server.url}/site/open-studio`)).status()).toBe(404);
  await desk.ask('Publish it');
  await desk.approve();

  // A visitor whose browser runs no scripts.
  const context = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await context.newPage();
  await visitor.goto(`${server.url}/site/open-studio`);
  const pictures = visitor.locator('.site-gallery img');
  await expect(pictures).toHaveCount(2);
  const cropped = visitor.getByRole('img', { name: 'The kiln' });
  expect(await cropped.getAttribute('srcset')).toMatch(/\/400-0-0-\d+-100\.webp 400w, .*\.webp \d+w$/);
  expect(Number(await cropped.getAttribute('width'))).toBeLessThan(1_800);
  expect(await cropped.getAttribute('height')).toBe('1200');
  expect(await cropped.getAttribute('style')).toContain('object-position');
  const whole = visitor.getByRole('img', { name: 'The wheel' });
  expect([await whole.getAttribute('width'), await whole.getAttribute('height')]).toEqual(['1800', '1200']);
  await whole.scrollIntoViewIfNeeded();
  await expect
    .poll(() => whole.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0))
    .toBe(true);
  const taken = await whole.evaluate((image: HTMLImageElement) => image.currentSrc);
  expect(taken).toMatch(/\/media\/ast_\w+\/[0-9a-f]{16}\/\d+\.(avif|webp)$/);

  const send = visitor.getByRole('button', { name: FORM.submitLabel });
  await visitor.getByLabel('Your name').fill('Mara "the potter" <b>');
  await visitor.getByLabel('E-mail').fill('mara@home.example');
  await visitor.getByLabel('Which evening?').selectOption('Saturday');
  // Sent at once, it comes back as it was written; sent again, it is taken.
  await expect(async () => {
    if (await send.isVisible()) await send.click();
    await expect(visitor.getByText('See you there. Bring an apron.')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(visitor.getByText(siteStrings.form.refused.fast)).toHaveCount(0);
  await expect(send).toHaveCount(0);
  await context.close();

  // Found by who keeps the studio.
  await page.goto(`${server.url}${LIBRARY_MESSAGES_PATH}`);
  const line = page.getByRole('list', { name: messagesStrings.list }).getByRole('listitem');
  await expect(line).toHaveCount(1);
  await expect(line).toContainText(messagesStrings.unread);
  await line.getByRole('button', { expanded: false }).click();
  await expect(line).toContainText('Saturday');
  await expect(line).toContainText('mara@home.example');
  await expect(line.getByRole('link')).toHaveCount(0);
  await expect(line).not.toContainText(messagesStrings.unread);
  await page.getByRole('searchbox', { name: messagesStrings.search }).fill('nobody');
  await expect(page.getByText(messagesStrings.noMatch)).toBeVisible();
  await page.getByRole('button', { name: messagesStrings.showAll }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: messagesStrings.export }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('messages.csv');
  await line.getByRole('button', { expanded: false }).click();
  await line.getByRole('button', { name: messagesStrings.remove, exact: true }).click();
  await page.getByRole('button', { name: messagesStrings.removeOne.confirm }).click();
  await expect(page.getByText(messagesStrings.empty)).toBeVisible();
});
