import type { Page } from '@playwright/test';
import axe, { type ElementContext, type RunOptions } from 'axe-core';
import { untilStill } from '#tests/e2e/support/waits';
import { expect } from '#tests/support/browser-test';

interface Looked {
  /** Selector of the part that is looked at; default: all of the page. */
  readonly within?: string;
  /** Default: all. */
  readonly rules?: readonly string[];
}

/**
 * Findings of axe, with their elements. The site in the frame is a separate screen. Axe runs in the page itself and
 * describes only its findings: its package for Playwright joins the parts of frames in a second page, and transfers
 * passed checks too, which takes three times as long.
 */
export async function violationsOf(page: Page, { within = 'html', rules }: Looked = {}) {
  await untilStill(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (looked) => (globalThis as unknown as { axe: typeof axe }).axe.run(...looked),
    [
      { include: [[within]], exclude: [['iframe']] },
      { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: [...rules] } }) },
    ] satisfies [ElementContext, RunOptions],
  );
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} — ${failureSummary ?? ''}`),
  }));
}

/** Changes the theme of a page that follows the system, as ours do. */
async function turnDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => (document.documentElement.dataset['theme'] ?? 'dark') === 'dark');
}

/** Axe finds nothing in what the page shows now, in light and in dark, where nothing but the colours is another. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  await turnDark(page);
  expect(await violationsOf(page, { rules: ['color-contrast'] })).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The same for what is open now as a phone shows it, where nothing may be wider than the screen either. */
export async function expectAccessibleOnPhone(page: Page): Promise<void> {
  const wide = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 640 });
  expect(await violationsOf(page)).toEqual([]);
  const isTooWide = (element: HTMLElement) => element.scrollWidth > element.clientWidth;
  for (const element of await page.locator('html, [role=dialog], [role=alertdialog]').all())
    expect(await element.evaluate(isTooWide)).toBe(false);
  if (wide) await page.setViewportSize(wide);
}
