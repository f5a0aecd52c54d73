import type { Page } from '@playwright/test';
import { languageCodes } from '#server/core/languages';
import { violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { chooseGerman, lookForGerman } from '#tests/e2e/support/in-german';
import { screens } from '#tests/e2e/support/screens';
import { isDeep } from '#tests/support/deep';

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
} as const;

// In `npm run test:deep`: what a phone shows is mostly what a desktop shows, which `npm test` reads.
for (const language of isDeep ? languageCodes : []) {
  test.describe(`on a phone, ${language}`, () => {
    let furnished: FurnishedServer;
    let page: Page;
    let lookForEnglish = () => {};
    test.beforeAll(async ({ browser }) => {
      if (language === 'de') lookForEnglish = lookForGerman();
      furnished = await startFurnishedServer();
      page = await browser.newPage(PHONE);
    });
    test.afterAll(async () => {
      lookForEnglish();
      await page.context().close();
      await furnished[Symbol.asyncDispose]();
    });

    for (const { name, open } of screens.filter(({ onPhone = true, isOurs = true }) => onPhone && isOurs)) {
      test(`axe finds nothing on: ${name}`, async () => {
        await page.context().clearCookies();
        if (language === 'de') await chooseGerman(page, furnished.server.url);
        await open(page, furnished);
        expect(await violationsOf(page)).toEqual([]);
        await page.evaluate(() => {
          localStorage.clear();
          sessionStorage.clear();
        });
      });
    }
  });
}
