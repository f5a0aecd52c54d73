import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { think } from '#tests/e2e/support/scripted-model';
import { deskPagePath } from '#components/workspace/navigation.ts';

const SECTIONS = 60;
/** Reads of the layout that one move of the pointer may cause. */
const MOST_READS = 25;

/** Counts reads of the layout, of the desk and of the page in its frame. */
async function watchLayoutReads(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frame = document.querySelector<HTMLIFrameElement>('iframe[aria-hidden="false"]')!.contentWindow as Window &
      typeof globalThis;
    const counted = { reads: 0 };
    for (const { Element, Document } of [window, frame]) {
      for (const [owner, name] of [
        [Element.prototype, 'getBoundingClientRect'],
        [Element.prototype, 'getClientRects'],
        [Document.prototype, 'elementFromPoint'],
        [Document.prototype, 'elementsFromPoint'],
      ] as const) {
        const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
        Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
          counted.reads += 1;
          return original.apply(this, given);
        });
      }
    }
    Object.assign(window, { __counted: counted });
  });
}

/** Reads since the last call. */
function takeReads(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { __counted: counted } = window as unknown as { __counted: { reads: number } };
    const { reads } = counted;
    counted.reads = 0;
    return reads;
  });
}

test('a pointer over a page of 60 sections reads the layout a few times, not once a section', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const items = Array.from({ length: 6 }, (_item, at) => ({ title: `Point ${at}`, body: 'A few words about it.' }));
  const body = 'Some **words** about [pots](/about).\n\n- one\n- two\n\n'.repeat(2);
  const sections = Array.from({ length: SECTIONS }, (_section, index) =>
    index % 3 === 2
      ? { type: 'features', fields: { heading: `Points ${index}`, items } }
      : { type: 'text', fields: { heading: `Section ${index}`, body } },
  );
  const answer = await page.request.post(`${server.url}/api/content/pages`, {
    data: { title: 'Long', slug: 'long', sections },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto(`${server.url}${deskPagePath('/long')}`);
  const hand = new PageUnderHand(page);
  await expect.poll(async () => (await hand.kinds()).length).toBe(SECTIONS);
  await hand.click('[data-kind] h2');
  await expect(hand.bar).toBeVisible();
  await watchLayoutReads(page);

  const { x, y, width, height } = (await hand.surface.boundingBox())!;
  await takeReads(page);
  for (let move = 0; move < 90; move += 1) {
    if (move % 15 === 14) await page.mouse.wheel(0, 240);
    await page.mouse.move(x + width * (0.3 + 0.4 * ((move % 7) / 7)), y + height * (0.1 + 0.8 * ((move % 15) / 15)));
  }
  const pointed = await takeReads(page);
  expect(pointed).toBeGreaterThan(0);
  expect(pointed).toBeLessThan(90 * MOST_READS);

  await hand.click('[data-kind] h2');
  const grip = (await hand.bar.locator('[title]').first().boundingBox())!;
  await page.mouse.move(grip.x + 4, grip.y + grip.height / 2);
  await page.mouse.down();
  await takeReads(page);
  for (let move = 0; move < 40; move += 1)
    await page.mouse.move(grip.x + 4, y + height * (0.2 + 0.6 * ((move % 10) / 10)));
  // Once for each section as the drag begins.
  expect(await takeReads(page)).toBeLessThan(40 * MOST_READS + 4 * SECTIONS);
  const kinds = await hand.kinds();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect(await hand.kinds()).toEqual(kinds);
});
