import { Film } from '#scripts/lib/film';
import { globSync, rmSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, expect } from '@playwright/test';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { translator } from '#components/i18n.ts';
import { build } from '#scripts/lib/build';
import { isBuilt } from '#scripts/lib/source-hash';
import { ensureChromium } from '#scripts/lib/tests/chromium';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { Workspace } from '#tests/e2e/support/desk';
import { type FurnishedServer, startFurnishedServer } from '#tests/e2e/support/furnished-server';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { type Screen, screens } from '#tests/e2e/support/screens';
import { hasWordPress, startWordPress } from '#tests/peers/support/wordpress-server';
import { startProductionServer } from '#tests/support/production-server';

const tSites = translator('sites');
const tShared = translator('shared');
const t = translator('pageSections.outline');

const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

/** Where the pictures are saved. */
const FOLDER = projectPath('docs/screenshots');

/** Opens the screen in a new browser, waits for its fonts and images, and takes the screenshot. */
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
    // Images further down load only when they are scrolled into view.
    [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > window.innerHeight),
  );
  await page.evaluate(() => document.fonts.ready);
  const name = `${screen.name}${suffix}.png`;
  await page.screenshot({ path: `${FOLDER}/${name}`, animations: 'disabled', caret: 'hide' });
  console.log(`docs/screenshots/${name}`);
}

/** Name of the animation. */
const HAND_AND_WORDS = 'hand-and-words';

/** Films a page that is edited in place and by a message to the assistant, and the undo of both. */
async function filmHandAndWords(browser: Browser, { server }: FurnishedServer): Promise<void> {
  await using context = await browser.newContext({
    viewport: { width: 1200, height: 720 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const [desk, hand, film] = [new Workspace(page), new PageUnderHand(page), new Film(page)];
  await page.goto(server.url);
  await hand.ready();
  await page.evaluate(() => document.fonts.ready);
  await film.show(900);

  // Edits a heading in place. The frame is replaced after each change.
  const placeOf = async (selector: string) => {
    let place = { x: 0, y: 0 };
    await expect(async () => (place = await hand.pointOf(selector))).toPass({ timeout: 20_000 });
    return place;
  };
  await film.moveTo(await placeOf('[data-kind=hero] h1'));
  await hand.click('[data-kind=hero] h1', { clickCount: 2 });
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await page.keyboard.press('Control+End');
  await film.show(500);
  await film.type(', and bread');
  await line.press('Enter');
  await expect(line).toHaveCount(0);
  await expect(desk.preview.getByRole('heading', { level: 1 })).toContainText('and bread');
  await expect(page.locator('[data-save=saved]')).toBeVisible();
  await film.show(900);

  // By a message: about the selected section.
  await film.moveTo(await placeOf('[data-kind=text] h2'));
  await hand.click('[data-kind=text] h2');
  await expect(hand.bar).toBeVisible();
  await film.show(900);
  await desk.composer.focus();
  await film.type('Make this warmer');
  await page.keyboard.press('Enter');
  await expect(desk.stopButton).toBeVisible({ timeout: 20_000 });
  await desk.untilIdle();
  await expect(desk.preview.getByRole('heading', { name: 'Come in and get warm' })).toBeVisible({ timeout: 20_000 });
  await film.show(1_800);

  // Undoes the last change, whether the user or the assistant made it.
  await hand.surface.focus();
  await page.keyboard.press('Control+z');
  await expect(desk.preview.getByRole('heading', { name: 'Come in and get warm' })).toHaveCount(0);
  await film.show(2_200);
  await film.save(`${FOLDER}/${HAND_AND_WORDS}.webp`);
  console.log(`docs/screenshots/${HAND_AND_WORDS}.webp`);
}

/** Prefix of the names of pictures of a connected WordPress. */
const WORDPRESS = 'wordpress';

/** PHP that activates the newest installed theme of WordPress itself. */
const SWITCH_THEME = `
  foreach (['twentytwentyfive', 'twentytwentyfour', 'twentytwentythree'] as $theme)
    if (wp_get_theme($theme)->exists()) return switch_theme($theme);`;

/**
 * Takes pictures of a real WordPress set up like a client's: the connection, its pages, an entry of a plugin's type,
 * and a draft in one of WordPress's own themes.
 */
async function takeWordPressPictures(browser: Browser): Promise<void> {
  await using wordpress = await startWordPress({ asClient: true });
  await using server = await startProductionServer();
  await using context = await browser.newContext({ ...DESKTOP, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const take = async (name: string) => {
    await page.screenshot({ path: `${FOLDER}/${WORDPRESS}-${name}.png`, animations: 'disabled', caret: 'hide' });
    console.log(`docs/screenshots/${WORDPRESS}-${name}.png`);
  };
  await page.goto(`${server.url}/admin/settings/site`);
  const sites = page.getByRole('region', { name: tSites('title'), exact: true });
  await sites.getByRole('button', { name: tSites('connect') }).click();
  const dialog = page.getByRole('dialog', { name: tSites('form.addTitle') });
  await dialog.getByLabel(tSites('form.url')).fill(wordpress.url);
  await dialog.getByLabel(tSites('form.username')).fill(wordpress.username);
  await dialog.getByLabel(tSites('form.password')).fill(wordpress.password);
  await dialog.getByRole('button', { name: tSites('form.test') }).click();
  await expect(dialog.locator('[data-ok=true]')).toBeVisible();
  await take('connect');
  await dialog.locator('button[type=submit]').click();
  await expect(dialog).toBeHidden();
  const choice = page.getByRole('combobox', { name: tShared('sites.label') });
  await expect(choice).toBeVisible();
  const loaded = page.waitForEvent('load');
  await choice.selectOption({ index: 1 });
  await loaded;
  await page.goto(`${server.url}/library/pages`);
  await expect(page.getByText('For members')).toBeVisible();
  await take('library');
  await page.goto(`${server.url}${deskPagePath('/blog/town-hall')}`);
  await expect(new Workspace(page).preview.getByRole('heading', { name: 'Town hall tiles' })).toBeVisible();
  await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  await page.getByRole('button', { name: t('settings') }).click();
  await page.getByLabel('Acme client').scrollIntoViewIfNeeded();
  await take('fields');
  // Uses the newest installed block theme: the theme of the tests is bare.
  await wordpress.php(SWITCH_THEME);
  // Without this the workspace would navigate by itself and show the previous page for a moment.
  await page.goto('about:blank');
  await page.goto(`${server.url}${deskPagePath('/about')}`);
  const hand = new PageUnderHand(page);
  await expect(hand.frame.contentFrame().locator('[data-look=draft]')).toBeAttached();
  await hand.click('blockquote[data-section]');
  await take('look');
}

/** Takes new pictures of every screen: light, dark, and on a phone. Arguments: names of screens, default all. */
async function takeScreenshots(names: readonly string[]): Promise<void> {
  if (!(await isBuilt()) && (await build()).code !== 0) throw new Error('The build failed; the reason is above.');
  const chosen = names.length === 0 ? screens : screens.filter(({ name }) => names.includes(name));
  const isKept = (file: string) => file.startsWith(WORDPRESS) && !hasWordPress;
  if (names.length === 0)
    for (const file of globSync('*', { cwd: FOLDER })) if (!isKept(file)) rmSync(`${FOLDER}/${file}`);
  await using furnished = await startFurnishedServer();
  await using browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const screen of chosen) {
    if (screen.onDesktop !== false) {
      await takePicture(browser, furnished, screen, DESKTOP, '');
      await takePicture(browser, furnished, screen, { ...DESKTOP, colorScheme: 'dark' }, '-dark');
    }
    if (screen.onPhone !== false) await takePicture(browser, furnished, screen, PHONE, '-phone');
  }
  // Last, because it changes a page that other pictures show.
  if (names.length === 0 || names.includes(HAND_AND_WORDS)) await filmHandAndWords(browser, furnished);
  if (!hasWordPress)
    console.log('There is no WordPress here (npm run test:peers installs it): its pictures stay as they are.');
  else if (names.length === 0 || names.includes(WORDPRESS)) await takeWordPressPictures(browser);
}

try {
  await takeScreenshots(process.argv.slice(2));
} catch (error) {
  exitWithMessage(error);
}
