import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { untilStill } from '#tests/e2e/support/waits';
import { expect } from '#tests/support/browser-test';

/** Findings of axe, with the elements that it means. The site in the frame is a screen of its own. */
export async function violationsOf(page: Page, rules?: string[]) {
  await untilStill(page);
  const axe = new AxeBuilder({ page }).exclude('iframe');
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} — ${failureSummary ?? ''}`),
  }));
}

/** Changes the theme of a page that follows the system, as ours do. */
export async function turnDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'] ?? 'dark')).toBe('dark');
}

const PHONE = { width: 390, height: 844 };

/** Axe finds nothing in what the page shows now: in light, on a phone, and in dark, where nothing but the colours is another. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  const desktop = page.viewportSize();
  await page.setViewportSize(PHONE);
  expect(await violationsOf(page)).toEqual([]);
  if (desktop) await page.setViewportSize(desktop);
  await turnDark(page);
  expect(await violationsOf(page, ['color-contrast'])).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}
