import { rmSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium } from '@playwright/test';
import { build, isBuilt } from '#scripts/lib/build';
import { ensureChromium } from '#scripts/lib/programs';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { type Screen, screens } from '#tests/e2e/support/screens';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

const FOLDER = projectPath('docs/screenshots');

/** Opens the screen in a browser of its own, waits for its fonts and images, and takes the picture. */
async function takePicture(
  browser: Browser,
  furnished: FurnishedServer,
  screen: Screen,
  options: BrowserContextOptions,
  suffix: string,
): Promise<void> {
  await using context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await screen.open(page, furnished);
  await page.waitForFunction(() =>
    // Those further down are loaded when somebody goes there.
    [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > window.innerHeight),
  );
  await page.evaluate(() => document.fonts.ready);
  const name = `${screen.name}${suffix}.png`;
  await page.screenshot({ path: `${FOLDER}/${name}`, animations: 'disabled', caret: 'hide' });
  console.log(`docs/screenshots/${name}`);
}

/** Takes the pictures of every screen anew: light, dark, and on a phone. Arguments: names of screens, default all. */
async function takeScreenshots(names: readonly string[]): Promise<void> {
  if (!isBuilt() && (await build()).code !== 0) throw new Error('The build failed; the reason is above.');
  const chosen = names.length === 0 ? screens : screens.filter(({ name }) => names.includes(name));
  if (names.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  await using furnished = await startFurnishedServer();
  await using browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const screen of chosen) {
    await takePicture(browser, furnished, screen, DESKTOP, '');
    await takePicture(browser, furnished, screen, { ...DESKTOP, colorScheme: 'dark' }, '-dark');
    if (screen.onPhone !== false) await takePicture(browser, furnished, screen, PHONE, '-phone');
  }
}

try {
  await takeScreenshots(process.argv.slice(2));
} catch (error) {
  exitWithMessage(error);
}
