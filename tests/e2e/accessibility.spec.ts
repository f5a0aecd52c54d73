import type { Page } from '@playwright/test';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { chooseGerman, englishOn, lookForGerman } from '#tests/e2e/support/in-german';
import { collectPolicyViolations } from '#tests/e2e/support/stranger';
import { screens } from '#tests/e2e/support/screens';
import { isDeep } from '#tests/support/deep';

let furnished: FurnishedServer;
/** One for all screens, which change nothing: a page that has its scripts already loads in a third of the time. */
let page: Page;

test.beforeAll(async ({ browser }) => {
  furnished = await startFurnishedServer();
  page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce' });
});
test.afterEach(async () => {
  // What is dragged goes back to its place.
  await page.keyboard.press('Escape');
  await page.mouse.up();
  // The next screen is opened by a user without history.
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
});
test.afterAll(async () => {
  await page.context().close();
  await furnished[Symbol.asyncDispose]();
});

for (const { name, open } of screens.filter(({ onDesktop = true }) => onDesktop)) {
  test(`axe finds nothing, in light and dark, and the page keeps to its policy, on: ${name}`, async () => {
    const breaches = collectPolicyViolations(page);
    await open(page, furnished);
    await expectAccessible(page);
    expect(breaches).toEqual([]);
  });
}

/**
 * Screens that are searched for English: a quarter in `npm test`, because the linter finds literals and a unit test
 * missing translations; all in `npm run test:deep`.
 */
const inGerman = screens
  .filter(({ onDesktop = true, isOurs = true }) => onDesktop && isOurs)
  .filter((_, index) => isDeep || index % 4 === 0);

test.describe('in German', () => {
  let lookForEnglish: () => void;
  test.beforeAll(() => (lookForEnglish = lookForGerman()));
  test.afterAll(() => lookForEnglish());
  test.beforeEach(() => chooseGerman(page, furnished.server.url));

  for (const { name, open } of inGerman) {
    test(`no English is left on: ${name}`, async () => {
      await open(page, furnished);
      expect(await englishOn(page)).toEqual([]);
      // Nothing but the words is another.
      if (!isDeep) return;
      await expectAccessible(page);
    });
  }
});
