import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { stillBox, untilStill } from '#tests/e2e/support/waits';

const t = translator('preview');

test('the preview scrolls to the written section and marks it, and stays if it is visible', async ({ desk, page }) => {
  await page.goto('/');
  await desk.ask('Add a quote section to Home with the quote "Down here at last"');
  const quote = desk.preview.getByText('Down here at last');
  await expect(quote).toBeInViewport();
  const marked = desk.preview.locator('[data-highlighted]');
  await expect(marked).toHaveCount(1);
  await expect(marked).toContainText('Down here at last');
  // In the draft only.
  await page.getByRole('radio', { name: t('published') }).click();
  await expect(quote).toHaveCount(0);
  await expect(marked).toHaveCount(0);
  await page.getByRole('button', { name: t('showDraft') }).click();
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
  const bar = page.getByRole('region', { name: t('label') }).locator('header');
  expect(page.viewportSize()?.width).toBe(1280);
  expect((await bar.boundingBox())?.height).toBeLessThan(60);
  // At its natural size, so that it can be read, unless another width is chosen.
  await expect(page.locator('[data-device]')).toHaveAttribute('data-device', 'fit');
  const device = page.getByRole('button', { name: new RegExp(`^${t('device')}`) });
  const choose = async (name: 'full' | 'desktop' | 'tablet' | 'phone' | 'fit') => {
    await device.click();
    await page.getByRole('menuitemradio', { name: t(`devices.${name}`) }).click();
  };
  await expect.poll(width).not.toBe(1280);
  await untilStill(page);
  const fitting = await width();
  await choose('full');
  await expect.poll(width).toBe(1280);
  const around = page.locator('[data-device]');
  expect(await around.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true);
  expect((await stillBox(page.locator('iframe[aria-hidden="false"]'))).width).toBe(1280);

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
  await expect(device).toHaveAccessibleName(`${t('device')}: ${t('devices.phone')}`);
  await expect.poll(width).toBe(390);
  await choose('fit');
  await expect.poll(width).toBe(fitting);
});
