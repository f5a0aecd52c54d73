import type { Locator, Page } from '@playwright/test';
import { createGate } from '#tests/e2e/support/scripted-model';
import { expect } from '#tests/support/browser-test';

/**
 * Resolves when nothing fades or moves, except endless animations. It checks every frame instead of waiting for
 * `finished`: Chromium settles that only with a frame, and draws none on a page that it believes to be still.
 */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Infinity;
    let moving: boolean;
    do {
      // What was changed just now is drawn, and begins to move, with the next frame.
      for (let frames = 0; frames < 2; frames += 1) await frame();
      moving = document.getAnimations().some((each) => each.playState === 'running' && ends(each));
    } while (moving);
  });
}

/** Where something is on the screen, once nothing moves. */
export async function stillBox(element: Locator) {
  // Also what has to be scrolled to: it would move when it is used.
  await element.scrollIntoViewIfNeeded();
  await untilStill(element.page());
  const box = await element.boundingBox();
  if (box === null) throw new Error(`Not on the screen: ${element.toString()}`);
  return box;
}

/** Waits until something, or what is in it, has the focus: the next key is for it only then. */
export async function untilFocused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((each) => each.contains(document.activeElement))).toBe(true);
}

/** Leaves a dialog by its key, and waits until it is gone. */
export async function escapeFrom(dialog: Locator): Promise<void> {
  await untilFocused(dialog);
  await dialog.page().keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}

/** Presses a key, each time once the effect of the former press shows, until the state is as wanted. */
export async function pressUntil(
  page: Page,
  key: string,
  state: () => Promise<string>,
  isWanted: (state: string) => boolean,
): Promise<void> {
  for (let now = await state(); !isWanted(now);) {
    const before = now;
    await page.keyboard.press(key);
    await expect.poll(async () => (now = await state())).not.toBe(before);
  }
}

/** Reaches a control by the Tab key; `label` is its `aria-label`. */
export async function tabTo(page: Page, label: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      return `${element.getAttribute('aria-label') ?? ''}\n${element.outerHTML}`;
    });
  await pressUntil(page, 'Tab', focused, (state) => state.startsWith(`${label}\n`));
}

/**
 * Puts the cursor of a rich text at its end. Shortly after it got the focus, the editor may put the cursor back to where it
 * has set it, unless the browser has told it of a move: it does so before the next frame.
 */
export async function moveToEnd(text: Locator): Promise<void> {
  await expect(async () => {
    await text.press('Control+End');
    const rest = await text.evaluate(async (element) => {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const range = document.createRange();
      const { focusNode, focusOffset } = getSelection()!;
      range.setStart(focusNode!, focusOffset);
      range.setEnd(element, element.childNodes.length);
      return range.toString();
    });
    expect(rest).toBe('');
  }).toPass();
}

/**
 * Holds the requests of a page back until the returned gate is opened.
 * @param method only requests with this method. Default: all
 */
export async function holdRequests(page: Page, address: string | RegExp, method?: string) {
  const gate = createGate();
  await page.route(address, async (route) => {
    if (method === undefined || route.request().method() === method) await gate.opened;
    await route.continue();
  });
  return gate;
}
