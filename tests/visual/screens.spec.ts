import { type BrowserContextOptions, expect, test } from '@playwright/test';
import { languageCodes, languages } from '#server/core/languages';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { chooseGerman, lookForGerman } from '#tests/e2e/support/in-german';
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

const languagesOfLooks = Object.entries(looks).flatMap(([look, options]) =>
  languageCodes.map((language) => ({ look, options, language })),
);

for (const { look, options, language } of languagesOfLooks) {
  test.describe(`${look}, ${languages[language]}`, () => {
    test.use({ ...options, contextOptions: { reducedMotion: 'reduce' } });
    let lookForEnglish = () => {};
    test.beforeAll(() => {
      if (language === 'de') lookForEnglish = lookForGerman();
    });
    test.afterAll(() => lookForEnglish());
    for (const { name, open, onPhone = true, onDesktop = true, isOurs = true } of screens) {
      if (look === 'phone' ? !onPhone : !onDesktop) continue;
      if (language === 'de' && !isOurs) continue;
      test(`${name} looks as it did`, async ({ page }) => {
        if (language === 'de') await chooseGerman(page, furnished.server.url);
        await open(page, furnished);
        await page.evaluate(() => document.fonts.ready);
        await expect(page).toHaveScreenshot(`${name}-${look}${language === 'en' ? '' : `-${language}`}.png`, {
          maxDiffPixels: DIFFERENT_PIXELS,
          // Dates, durations and ids are others in every run.
          mask: [page.locator('time'), page.getByText(/\b(?:ses|usr|key|chg)_[0-9a-z]{20,}/)],
        });
      });
    }
  });
}
