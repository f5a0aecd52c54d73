import { type BrowserContextOptions, expect, test } from '@playwright/test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { screens } from '#tests/e2e/support/screens';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1_440, height: 900 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: DESKTOP,
  dark: { ...DESKTOP, colorScheme: 'dark' },
  phone: PHONE,
};

/** A line of text that wraps elsewhere is more than this; a few pixels at the edge of a letter are not. */
const DIFFERENT_PIXELS = 200;

let furnished: FurnishedServer;

test.beforeAll(async () => {
  furnished = await startFurnishedServer();
});
test.afterAll(() => furnished[Symbol.asyncDispose]());

for (const [look, options] of Object.entries(looks)) {
  test.describe(look, () => {
    test.use({ ...options, contextOptions: { reducedMotion: 'reduce' } });
    for (const { name, open, onPhone = true, onDesktop = true } of screens) {
      if (look === 'phone' ? !onPhone : !onDesktop) continue;
      test(`${name} looks as it did`, async ({ page }) => {
        await open(page, furnished);
        await page.evaluate(() => document.fonts.ready);
        await expect(page).toHaveScreenshot(`${name}-${look}.png`, {
          maxDiffPixels: DIFFERENT_PIXELS,
          // Dates, durations and ids are others in every run.
          mask: [page.locator('time'), page.getByText(/\b(?:ses|usr|key|chg)_[0-9a-z]{20,}/)],
        });
      });
    }
  });
}
