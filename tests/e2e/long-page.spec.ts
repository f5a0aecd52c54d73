import type { Page } from '@playwright/test';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { think } from '#tests/e2e/support/scripted-model';
import { translator } from '#components/i18n.ts';

const t = translator('preview');

/** What the tools asked of the page while one frame was drawn, and how long the frame took, in ms. */
interface DrawnFrame {
  readonly layoutReads: number;
  readonly ms: number;
}

/** Counts reads of the layout, of the desk and of the page in its frame, from one frame to the next. */
async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frame = document.querySelector<HTMLIFrameElement>('iframe[aria-hidden="false"]')!.contentWindow as Window &
      typeof globalThis;
    const drawn: { layoutReads: number; ms: number }[] = [];
    let [reads, began] = [0, 0];
    for (const { Element, Document } of [window, frame]) {
      for (const [owner, name] of [
        [Element.prototype, 'getBoundingClientRect'],
        [Element.prototype, 'getClientRects'],
        [Document.prototype, 'elementFromPoint'],
        [Document.prototype, 'elementsFromPoint'],
      ] as const) {
        const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
        Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
          reads += 1;
          return original.apply(this, given);
        });
      }
    }
    window.addEventListener('pointermove', () => (began ||= performance.now()), { capture: true });
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      if (began > 0) drawn.push({ layoutReads: reads, ms: performance.now() - began });
      [reads, began] = [0, 0];
    });
    port1.start();
    const next = () => {
      port2.postMessage(null);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    Object.assign(window, { __drawn: drawn });
  });
}

function readFrames(page: Page): Promise<DrawnFrame[]> {
  return page.evaluate(() =>
    (window as unknown as { __drawn: { layoutReads: number; ms: number }[] }).__drawn.splice(0),
  );
}

function summed(frames: readonly DrawnFrame[]) {
  const times = frames.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(1);
  return {
    reads: frames.map(({ layoutReads }) => layoutReads),
    words: `median ${at(0.5)} ms, p95 ${at(0.95)} ms of ${times.length}`,
  };
}

test('the pointer asks no more of a page of 60 sections than of one of 6', async ({ desk: _, page, startScripted }) => {
  const { server } = await startScripted(think);
  const reads: Record<'point' | 'drag', number[][]> = { point: [], drag: [] };
  for (const count of [6, 60]) {
    const sections = Array.from({ length: count }, (_section, index) =>
      index % 3 === 2
        ? {
            type: 'features',
            fields: {
              heading: `Points ${index}`,
              items: Array.from({ length: 6 }, (_item, at) => ({
                title: `Point ${at}`,
                body: 'A few words about it.',
              })),
            },
          }
        : {
            type: 'text',
            fields: {
              heading: `Section ${index}`,
              body: 'Some **words** about [pots](/about).\n\n- one\n- two\n\n'.repeat(2),
            },
          },
    );
    const answer = await page.request.post(`${server.url}/api/content/pages`, {
      data: { title: `Of ${count}`, slug: `of-${count}`, sections },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
    await page.goto(server.url);
    const hand = new PageUnderHand(page);
    await hand.ready();
    await page.getByRole('button', { name: t('pick') }).click();
    await page.getByRole('button', { name: new RegExp(`^Of ${count}`) }).click();
    await expect.poll(async () => (await hand.kinds()).length).toBe(count);
    await hand.click('[data-kind] h2');
    await expect(hand.bar).toBeVisible();
    await watchFrames(page);

    const { x, y, width, height } = (await hand.surface.boundingBox())!;
    for (let move = 0; move < 90; move += 1) {
      if (move % 15 === 14) await page.mouse.wheel(0, 240);
      await page.mouse.move(x + width * (0.3 + 0.4 * ((move % 7) / 7)), y + height * (0.1 + 0.8 * ((move % 15) / 15)));
    }
    const pointed = summed(await readFrames(page));
    test.info().annotations.push({ type: `pointer over ${count} sections`, description: pointed.words });
    reads.point.push(pointed.reads);

    await hand.click('[data-kind] h2');
    const grip = (await hand.bar.locator('[title]').first().boundingBox())!;
    await page.mouse.move(grip.x + 4, grip.y + grip.height / 2);
    await page.mouse.down();
    await readFrames(page);
    for (let move = 0; move < 40; move += 1)
      await page.mouse.move(grip.x + 4, y + height * (0.2 + 0.6 * ((move % 10) / 10)));
    const dragged = summed(await readFrames(page));
    test.info().annotations.push({ type: `drag over ${count} sections`, description: dragged.words });
    reads.drag.push(dragged.reads);
    await page.keyboard.press('Escape');
    await page.mouse.up();
  }
  // A handful in each frame, however long the page is: not one for each of its sections.
  const beyond = (frames: readonly number[]) => frames.filter((count) => count > 25);
  for (const frames of reads.point) expect(beyond(frames)).toEqual([]);
  // But once for each section as the drag begins.
  for (const frames of reads.drag) expect(beyond(frames).length, beyond(frames).join(', ')).toBeLessThanOrEqual(1);
});
