import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { collectPolicyViolations } from '#tests/e2e/support/policy-violations';
import { screens } from '#tests/e2e/support/screens';

let furnished: FurnishedServer;
/** One for all screens, which change nothing: a page that has its scripts already loads in a third of the time. */
let page: Page;

test.beforeAll(async ({ browser }) => {
  furnished = await startFurnishedServer();
  // Axe opens a page of its own beside it, which a context that came with its page refuses.
  page = await (await browser.newContext({ colorScheme: 'light', reducedMotion: 'reduce' })).newPage();
});
test.afterEach(async () => {
  // What is dragged goes back to its place.
  await page.keyboard.press('Escape');
  await page.mouse.up();
  // The next screen is one of somebody who has been nowhere yet.
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

/** What axe has against the page, with the elements it means. The site in the frame is a screen of its own. */
async function violationsOf(rules?: string[]) {
  const axe = new AxeBuilder({ page }).exclude('iframe');
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} — ${failureSummary ?? ''}`),
  }));
}

/** Changes the theme of a page that follows the system, as ours do. */
async function turnDark(): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'] ?? 'dark')).toBe('dark');
}

for (const { name, open } of screens.filter(({ onDesktop = true }) => onDesktop)) {
  test(`axe finds nothing, in light and dark, and the page keeps to its policy, on: ${name}`, async () => {
    const breaches = collectPolicyViolations(page);
    await open(page, furnished);
    expect(await violationsOf()).toEqual([]);
    await turnDark();
    // Nothing but the colours is another.
    expect(await violationsOf(['color-contrast'])).toEqual([]);
    expect(breaches).toEqual([]);
  });
}
