import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { ensureChromium } from '#scripts/lib/chromium';
import { build, isBuilt } from '#scripts/lib/build';
import { exitWithMessage } from '#scripts/lib/exit-with-message';
import { projectPath } from '#scripts/lib/project';
import { Desk } from '#tests/e2e/support/desk';
import { startProductionServer } from '#tests/support/production-server';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

/** Conversations of the days before, for the list. */
const EARLIER_TITLES = ['Winter opening hours', 'Tidy up the firing club page', 'A post about the new kiln shelves'];

/** What an editor might say on a morning, to the built-in offline assistant. */
const REQUESTS = [
  'Create a page called Gift vouchers about giving somebody an afternoon at the wheel',
  'Always use British spelling.',
  'Change the hero heading on Gift vouchers to "An afternoon at the wheel, wrapped"',
  'Add an image section to Gift vouchers with the image "/images/wheel.svg" and the alt text "Hands at a wheel"',
  'Add a faq section to Gift vouchers with the question "How long is a voucher valid?" and the answer "Two years."',
  'What did I ask first?',
];

async function openPage(browser: Browser, options: BrowserContextOptions, url: string): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Waits for fonts and pictures, then takes the picture. */
async function takePicture(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: projectPath(`docs/screenshots/${name}.png`), animations: 'disabled', caret: 'hide' });
  console.log(`docs/screenshots/${name}.png`);
}

/** Takes the pictures of the README anew, from a server with the demo site and a conversation held for them. */
async function takeScreenshots(): Promise<void> {
  if (!isBuilt() && (await build()) !== 0) throw new Error('The build failed; the reason is above.');
  await using server = await startProductionServer({ seed: true });
  for (const title of EARLIER_TITLES) {
    await fetch(`${server.url}/api/sessions`, { method: 'POST', body: JSON.stringify({ title }) });
  }
  await using browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

  const chat = await openPage(browser, DESKTOP, server.url);
  const desk = new Desk(chat);
  for (const request of REQUESTS) await desk.ask(request);
  await desk.preview.getByText('How long is a voucher valid?').waitFor();
  await takePicture(chat, 'chat');

  const dark = await openPage(browser, { ...DESKTOP, colorScheme: 'dark' }, chat.url());
  await new Desk(dark).tool('Added a faq section to Gift vouchers').waitFor();
  await takePicture(dark, 'chat-dark');

  const phone = await openPage(browser, PHONE, chat.url());
  await new Desk(phone).tool('Added a faq section to Gift vouchers').waitFor();
  await takePicture(phone, 'phone');

  await takePicture(await openPage(browser, DESKTOP, `${server.url}/site`), 'site');
}

try {
  await takeScreenshots();
} catch (error) {
  exitWithMessage(error);
}
