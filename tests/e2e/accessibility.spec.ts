import type { Page } from '@playwright/test';
import { expectAccessible, violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { chooseGerman, englishOn, lookForGerman } from '#tests/e2e/support/in-german';
import { collectPolicyViolations } from '#tests/e2e/support/stranger';
import { type Screen, screensByArea } from '#tests/e2e/support/screens';
import { isDeep } from '#tests/support/deep';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

let furnished: FurnishedServer;

test.beforeAll(async () => {
  furnished = await startFurnishedServer();
});
test.afterAll(() => furnished[Symbol.asyncDispose]());

/**
 * A quarter of the screens is looked at in German, because the linter finds literals and a unit test missing
 * translations; every screen in both languages in `npm run test:deep`.
 */
function languagesOf({ isOurs = true }: Screen, index: number): readonly ('en' | 'de')[] {
  if (!isOurs) return ['en'];
  if (isDeep) return ['en', 'de'];
  return [index % 4 === 0 ? 'de' : 'en'];
}

/** Opens a screen in German; no English is left on it. */
async function openInGerman(page: Page, { open }: Screen): Promise<void> {
  const lookForEnglish = lookForGerman();
  try {
    await chooseGerman(page, furnished.server.url);
    await open(page, furnished);
    expect(await englishOn(page)).toEqual([]);
  } finally {
    lookForEnglish();
  }
}

/** Lets go of what is dragged, and makes the user of the next screen one without history. */
async function forgetUser(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
  // Else the next screen, where only the hash of the address is another, would keep what is open and its language.
  await page.goto('about:blank');
}

// In `npm test` on a desktop only: what a phone shows is mostly what a desktop shows.
for (const device of isDeep ? (['desktop', 'phone'] as const) : (['desktop'] as const))
  test.describe(`on a ${device}`, () => {
    /** One for all screens, which change nothing: a page that has its scripts already loads in a third of the time. */
    let page: Page;
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce', ...(device === 'phone' && PHONE) });
    });
    test.afterAll(() => page.context().close());

    for (const [area, screens] of Object.entries(screensByArea))
      test(`axe finds nothing, and the policy is kept, on all screens: ${area}`, async () => {
        const breaches = collectPolicyViolations(page);
        const shown = screens.filter(({ onDesktop = true, onPhone = true }: Screen) =>
          device === 'phone' ? onPhone : onDesktop,
        );
        for (const [index, screen] of shown.entries())
          for (const language of languagesOf(screen, index))
            await test.step(`${screen.name} (${language})`, async () => {
              if (language === 'de') await openInGerman(page, screen);
              else await screen.open(page, furnished);
              if (device === 'phone') expect(await violationsOf(page)).toEqual([]);
              else await expectAccessible(page);
              expect(breaches).toEqual([]);
              await forgetUser(page);
            });
      });
  });
