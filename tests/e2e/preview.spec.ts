import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { editorStrings } from '#components/content/text/words.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import type { EntryPage } from '#server/core/site/site-lists';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { startStranger } from '#tests/e2e/support/stranger';
import { stillBox, untilStill } from '#tests/e2e/support/waits';

// Without the fixture `desk`: the browser reports the picture that it refuses to load.
test('a picture from elsewhere, written by the model, is asked for by nobody', async ({ page }) => {
  await using stranger = await startStranger();
  const desk = new Workspace(page);
  await page.goto('/');
  await desk.ask('Create a page called Leak');
  await desk.ask(`Add a text section to Leak with the text "![Secret](${stranger.origin}/x.png?words)"`);
  const picture = desk.preview.getByRole('img', { name: 'Secret' });
  await expect(picture).toBeVisible();
  // True for a picture that failed, too; not for one that still loads.
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete)).toBe(true);

  await page.goto('/preview/leak');
  await expect(page.getByRole('img', { name: 'Secret' })).toBeVisible();
  await expect
    .poll(() => page.getByRole('img', { name: 'Secret' }).evaluate((img: HTMLImageElement) => img.complete))
    .toBe(true);
  expect(stranger.requests).toEqual([]);
});

test('the preview goes to the section that was just written and marks it, and stays where it is seen already', async ({
  desk,
  page,
}) => {
  await page.goto('/');
  await desk.ask('Add a quote section to Home with the quote "Down here at last"');
  const quote = desk.preview.getByText('Down here at last');
  await expect(quote).toBeInViewport();
  const marked = desk.preview.locator('[data-highlighted]');
  await expect(marked).toHaveCount(1);
  await expect(marked).toContainText('Down here at last');
  // In the draft only.
  await page.getByRole('radio', { name: previewStrings.published }).click();
  await expect(quote).toHaveCount(0);
  await expect(marked).toHaveCount(0);
  await page.getByRole('button', { name: previewStrings.showDraft }).click();
  await expect(quote).toBeVisible();

  await desk.ask('Change the quote of the last quote section on Home to "Still down here"');
  await expect(desk.preview.getByText('Still down here')).toBeInViewport();

  await desk.ask('Change the hero heading on Home to "Back at the top"');
  await expect(desk.preview.getByRole('heading', { name: 'Back at the top' })).toBeInViewport();
});

test('the page can be seen as on a desktop, a tablet and a phone, and the choice is remembered', async ({
  desk,
  page,
}) => {
  await page.goto('/');
  const body = desk.preview.locator('body');
  await expect(body).toBeVisible();
  const width = () => body.evaluate(() => window.innerWidth);
  // All above it is in one row.
  const bar = page.getByRole('region', { name: previewStrings.label }).locator('header');
  expect(page.viewportSize()?.width).toBe(1280);
  expect((await bar.boundingBox())?.height).toBeLessThan(60);
  // A real desktop unless another width is chosen.
  await expect.poll(width).toBe(1280);
  const device = page.getByRole('button', { name: new RegExp(`^${previewStrings.device}`) });
  const choose = async (name: keyof typeof previewStrings.devices) => {
    await device.click();
    await page.getByRole('menuitemradio', { name: previewStrings.devices[name] }).click();
  };
  await choose('fit');
  await expect.poll(width).not.toBe(1280);
  await untilStill(page);
  const fitting = await width();

  for (const [name, pixels] of [
    ['desktop', 1280],
    ['tablet', 768],
    ['phone', 390],
  ] as const) {
    await choose(name);
    await expect.poll(width).toBe(pixels);
    // Made smaller where there is less room, so that nothing is cut off.
    await expect(async () => {
      const pane = await stillBox(page.locator('[data-device]'));
      const frame = await stillBox(page.locator('iframe[aria-hidden="false"]'));
      expect(frame.width).toBeLessThanOrEqual(pane.width + 1);
      expect(Math.abs(frame.height - pane.height)).toBeLessThan(2);
    }).toPass();
  }

  await page.reload();
  await expect(device).toHaveAccessibleName(`${previewStrings.device}: ${previewStrings.devices.phone}`);
  await expect.poll(width).toBe(390);
  await choose('fit');
  await expect.poll(width).toBe(fitting);
});

test('the page that was open is open again after a reload and on the way back', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  const picker = page.getByRole('button', { name: previewStrings.pick });
  const heading = desk.preview.getByRole('heading', { level: 1 });
  const isOpen = async () => {
    await expect(picker).toContainText('Workshops');
    await expect(heading).toHaveText('Learn to throw, slowly');
  };
  await isOpen();
  await page.reload();
  await isOpen();
  await desk.sidebar.getByRole('link', { name: sidebarStrings.library }).click();
  await page.waitForURL(/library/);
  await page.goBack();
  await isOpen();
});

test('the preview can be made wider by keys and by dragging, hidden, and shown again', async ({ desk, page }) => {
  await page.goto('/');
  // Before the page hears keys and clicks, they are lost.
  await expect(desk.composer).toBeFocused();
  const pane = page.getByRole('region', { name: previewStrings.label });
  const edge = page.getByRole('separator', { name: previewStrings.resize });
  const width = async () => (await pane.boundingBox())?.width ?? 0;
  const before = await width();
  await edge.press('ArrowLeft');
  await expect.poll(width).toBeGreaterThan(before);

  const { x, y, height } = await stillBox(edge);
  await page.mouse.move(x + 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 184, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(width).toBeLessThan(before);

  await page.getByRole('button', { name: previewStrings.hide }).click();
  await expect(pane).toBeHidden();
  await page.reload();
  await expect(desk.composer).toBeFocused();
  await expect(pane).toBeHidden();
  await page.getByRole('button', { name: previewStrings.show }).click();
  await expect(pane).toBeVisible();
});

test('the assistant is told which page is open, in which state, and the time zone', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server, provider } = await startScripted(() => ({ text: 'I see.' }));
  const told = () =>
    JSON.stringify(provider.requests.at(-1)?.messages.findLast(({ role }) => role === 'user')?.content);
  await page.goto(server.url);
  await desk.ask('What is open?');
  expect(told()).toMatch(/<situation>.*Open in the preview: \/ .*, draft.*<\/situation>.*What is open/);
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(told()).toContain(`(${zone})`);
  await page.getByRole('radio', { name: previewStrings.published }).click();
  await desk.ask('And now?');
  expect(told()).toMatch(/Open in the preview: \/ .*, published/);
  await expect(desk.requests).toHaveText([/What is open\?/, /And now\?/]);
  await expect(page.getByText('Open in the preview')).toHaveCount(0);
});

test('a site without any page says so in the preview, and the browser reports nothing missing', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'I see.' }));
  const api = createApiClient({ baseUrl: server.url });
  const { items } = await api.get<EntryPage>(paths.entries('page'));
  for (const { id } of items) await page.request.delete(server.url + paths.entry('page', id));
  await page.goto(server.url);
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText(editorStrings.noPages.heading);
  expect((await page.request.get(`${server.url}/preview/nowhere`)).status()).toBe(404);
});
