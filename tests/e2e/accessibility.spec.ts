import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { collectPolicyViolations } from '#tests/e2e/support/policy-violations';
import { screens } from '#tests/e2e/support/screens';

let furnished: FurnishedServer;

test.beforeAll(async () => {
  furnished = await startFurnishedServer();
});
test.afterAll(() => furnished[Symbol.asyncDispose]());

/** What axe has against the page, with the elements it means. The site in the frame is a screen of its own. */
async function violationsOf(page: Page, rules?: string[]) {
  const axe = new AxeBuilder({ page }).exclude('iframe');
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} — ${failureSummary ?? ''}`),
  }));
}

/** Changes the theme of a page that follows the system, as ours do. */
async function turnDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'] ?? 'dark')).toBe('dark');
}

test.use({ colorScheme: 'light', reducedMotion: 'reduce' });

for (const { name, open } of screens) {
  test(`axe finds nothing, in light and dark, and the page keeps to its policy, on: ${name}`, async ({ page }) => {
    const breaches = collectPolicyViolations(page);
    await open(page, furnished);
    expect(await violationsOf(page)).toEqual([]);
    await turnDark(page);
    // Nothing but the colours is another.
    expect(await violationsOf(page, ['color-contrast'])).toEqual([]);
    expect(breaches).toEqual([]);
  });
}
