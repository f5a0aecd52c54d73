import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';

const tPageSections = translator('pageSections');
const t = translator('tab');

/** The draft in the preview as hands work on it: what is pointed at is in its frame, what listens is over it. */
export class PageUnderHand {
  readonly page: Page;
  /** The layer that takes pointer and keys. */
  readonly surface: Locator;
  readonly bar: Locator;
  readonly outline: Locator;
  readonly frame: Locator;

  constructor(page: Page) {
    this.page = page;
    this.surface = page.getByRole('region', { name: tPageSections('surface') });
    this.bar = page.getByRole('toolbar');
    this.outline = page.getByRole('tree', { name: tPageSections('outline.title') });
    this.frame = page.locator('iframe[aria-hidden="false"]');
  }

  /** Where something of the page is on the screen, once it has been scrolled into view. */
  async pointOf(selector: string): Promise<{ readonly x: number; readonly y: number }> {
    let point = { x: 0, y: 0 };
    // Repeated if the frame was replaced by the current page in the meantime.
    await expect(async () => {
      point = await this.frame.evaluate((frame: HTMLIFrameElement, wanted) => {
        const page = frame.contentWindow!;
        const element = page.document.querySelector(wanted)!;
        const before = element.getBoundingClientRect();
        if (before.top < 80 || before.top > page.innerHeight - 80)
          page.scrollBy({ top: before.top - page.innerHeight / 3, behavior: 'instant' });
        const { left, top, width, height } = element.getBoundingClientRect();
        const own = frame.getBoundingClientRect();
        const scale = own.width / frame.offsetWidth;
        return { x: own.x + (left + width / 2) * scale, y: own.y + (top + Math.min(height / 2, 30)) * scale };
      }, selector);
    }).toPass();
    return point;
  }

  /** Clicks on something of the page, as a hand does: by where it is on the screen. */
  async click(selector: string, options?: Parameters<Page['mouse']['click']>[2]): Promise<void> {
    await this.ready();
    const { x, y } = await this.pointOf(selector);
    await this.page.mouse.move(x, y);
    await this.page.mouse.click(x, y, options);
  }

  /** Taps on something of the page so many times in immediate succession, as a finger does. */
  async tap(selector: string, times = 1): Promise<void> {
    await this.ready();
    const point = await this.pointOf(selector);
    const finger = await this.page.context().newCDPSession(this.page);
    const began = Date.now() / 1_000;
    const touch = (type: 'touchStart' | 'touchEnd', after: number) => {
      const touchPoints = type === 'touchStart' ? [point] : [];
      return finger.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp: began + after });
    };
    // In one call, each with its time: a page that is busy with the first would make two single taps of a double one.
    const taps = Array.from({ length: times }, (_, tap) => [
      touch('touchStart', tap * 0.15),
      touch('touchEnd', tap * 0.15 + 0.05),
    ]);
    await Promise.all(taps.flat());
    await finger.detach();
  }

  /** Waits until the tools hear what is done. */
  async ready(): Promise<void> {
    await expect(this.surface).toBeVisible();
    await expect(this.frame.contentFrame().locator('[data-kind], [data-section]').first()).toBeAttached();
    // Not while a newer version of the page loads in the background.
    await expect(this.page.locator('[aria-busy=true]').filter({ has: this.page.locator('iframe') })).toHaveCount(0);
  }

  /** Ids of the sections of the page that is shown, from top to bottom. */
  async ids(): Promise<string[]> {
    return this.frame
      .contentFrame()
      .locator('section[data-kind]')
      .evaluateAll((all) => all.map(({ id }) => id));
  }

  /** Kinds of the sections of the page that is shown, from top to bottom. */
  async kinds(): Promise<string[]> {
    return this.frame.evaluate((frame: HTMLIFrameElement) =>
      [...(frame.contentDocument?.querySelectorAll<HTMLElement>('section[data-kind]') ?? [])].map(
        ({ dataset }) => dataset['kind'] ?? '',
      ),
    );
  }
}

/** The draft of a server's home page on a phone, in a separate browser window. */
export async function openOnPhone(browser: Browser, url: string): Promise<PageUnderHand & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('radio', { name: t('preview') }).tap();
  const hand = new PageUnderHand(page);
  await hand.ready();
  return Object.assign(hand, { [Symbol.asyncDispose]: () => context.close() });
}
