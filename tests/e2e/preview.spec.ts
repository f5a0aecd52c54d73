import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';
import { stillBox, untilStill } from '#tests/e2e/support/waits';

const t = translator('preview');

test('the preview follows and marks each edit, and shows the page in three remembered widths', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
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
  await desk.ask('Change the hero heading on Home to "Back at the top"');
  await expect(desk.preview.getByRole('heading', { name: 'Back at the top' })).toBeInViewport();

  const pane = page.locator('[data-device]');
  const width = () => desk.preview.locator('body').evaluate(() => window.innerWidth);
  const device = page.getByRole('button', { name: new RegExp(`^${t('device')}`) });
  const choose = async (name: 'full' | 'desktop' | 'tablet' | 'phone' | 'fit') => {
    await device.click();
    await page.getByRole('menuitemradio', { name: t(`devices.${name}`) }).click();
  };
  // At its natural size, so that it can be read, unless another width is chosen.
  await expect(pane).toHaveAttribute('data-device', 'fit');
  await untilStill(page);
  const fitting = await width();
  expect(fitting).toBeLessThan(1280);
  await choose('full');
  await expect.poll(width).toBe(1280);
  expect(await pane.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true);
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
      const around = await stillBox(pane);
      const frame = await stillBox(page.locator('iframe[aria-hidden="false"]'));
      expect(frame.width).toBeLessThanOrEqual(around.width + 1);
      expect(Math.abs(frame.height - around.height)).toBeLessThan(2);
    }).toPass();
  }

  await page.reload();
  await expect(device).toHaveAccessibleName(`${t('device')}: ${t('devices.phone')}`);
  await expect.poll(width).toBe(390);
  await choose('fit');
  await expect.poll(width).toBe(fitting);
});
