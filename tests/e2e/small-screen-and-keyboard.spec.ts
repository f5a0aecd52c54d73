import { deskPagePath, LIBRARY_PAGES_PATH } from '#components/workspace/navigation.ts';
import { libraryStrings } from '#components/library/words.ts';
import { pagesStrings } from '#components/pages/words.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { strings } from '#components/words.ts';
import { composerStrings, tabStrings } from '#components/chat/text/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { stillBox, untilStill } from '#tests/e2e/support/waits';

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('chat and preview are two tabs, and the conversations a drawer', async ({ desk, page }) => {
    await page.goto('/');
    const tabs = page.getByRole('radiogroup', { name: tabStrings.label });
    await expect(tabs).toBeVisible();
    await desk.send('Change the hero heading on Home to "Made by hand"');
    await expect(desk.tool('Changed heading on Home')).toBeVisible();
    await expect(page.locator('iframe').first()).toBeHidden();

    await tabs.getByRole('radio', { name: tabStrings.preview }).tap();
    await expect(desk.preview.getByRole('heading', { level: 1, name: 'Made by hand' })).toBeVisible();
    await expect(desk.composer).toBeHidden();

    // In forced colors, where there are no backgrounds, the taken one has the system's.
    await page.emulateMedia({ forcedColors: 'active' });
    const grounds = (await tabs.getByRole('radio').all()).map((tab) =>
      tab.evaluate((element) => getComputedStyle(element).backgroundColor),
    );
    expect(new Set(await Promise.all(grounds)).size).toBe(2);
    await page.emulateMedia({ forcedColors: 'none' });

    // The bar stays one row, with publishing in it.
    const publish = page.getByRole('button', { name: strings.page.publish, exact: true });
    const more = page.getByRole('button', { name: previewStrings.more, exact: true });
    expect((await stillBox(publish)).y).toBe((await stillBox(more)).y);
    await publish.tap();
    await page.getByRole('alertdialog').getByRole('button', { name: strings.page.publish }).tap();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);

    await tabs.getByRole('radio', { name: tabStrings.chat }).tap();
    await expect(desk.composer).toBeVisible();
    await page.getByRole('button', { name: sidebarStrings.open }).tap();
    await expect(desk.sidebar.getByRole('link', { name: /Made by hand/ })).toBeVisible();
    await untilStill(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });

  test('Enter begins a new line in a message, and the button sends it', async ({ desk, page }) => {
    await page.goto('/');
    await desk.composer.tap();
    await page.keyboard.type('List the pages');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and the posts');
    await expect(desk.composer).toHaveValue('List the pages\nand the posts');
    await expect(page).toHaveURL(/\/$/);
    await page.getByRole('button', { name: composerStrings.send, exact: true }).tap();
    await expect(desk.requests).toHaveText([/List the pages\s+and the posts/]);
    await desk.untilIdle();
  });

  test('a word that is longer than the screen makes no page of the site wider', async ({ page, startScripted }) => {
    const { server } = await startScripted(() => ({ text: 'Yes.' }));
    const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
    const items = [{ label: word, href: '/', children: [{ label: word, href: '/' }] }];
    const hero = { type: 'hero', fields: { heading: word, subheading: word, ctaLabel: word, ctaHref: '/' } };
    const text = { type: 'text', fields: { heading: word, body: `| ${word} | b |\n| - | - |\n| ${word} | ${word} |` } };
    const cta = { type: 'call-to-action', fields: { heading: word, buttonLabel: word, buttonHref: '/' } };
    const api = `${server.url}/api/content`;
    expect((await page.request.put(`${api}/navigation`, { data: { items } })).ok()).toBe(true);
    const made = await page.request.post(`${api}/pages`, {
      data: { title: word, slug: 'long', sections: [hero, text, cta] },
    });
    expect(made.ok()).toBe(true);
    for (const path of ['/preview/long', '/site']) {
      await page.goto(`${server.url}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), path).toBe(0);
    }
  });

  test('while the keyboard is there, the field that is written in is seen', async ({ desk, page, startScripted }) => {
    const { server } = await startScripted(() => ({ text: 'Yes.' }));
    for (const title of ['One', 'Two', 'Three', 'Four'])
      await page.request.post(`${server.url}/api/sessions`, { data: { title } });
    await page.goto(server.url);
    await page.getByRole('button', { name: sidebarStrings.open }).tap();
    await page.getByRole('button', { name: sidebarStrings.actions('One') }).tap();
    await page.getByRole('menuitem', { name: sidebarStrings.rename }).tap();
    const field = desk.sidebar.getByRole('textbox', { name: sidebarStrings.renameLabel });
    await expect(field).toBeFocused();
    await page.setViewportSize({ width: 390, height: 420 });
    await expect(field).toBeInViewport({ ratio: 1 });
  });

  test.describe('in German', () => {
    test.use({ locale: 'de-DE' });

    test('a text is written in the panel, and nothing moves above the page when it is saved', async ({
      desk,
      page,
      startScripted,
    }) => {
      const { server } = await startScripted(() => ({ text: 'Ja.' }));
      await page.goto(`${server.url}${deskPagePath('/workshops')}`);
      const header = page.getByRole('region', { name: 'Vorschau' }).locator('header').first();
      const edit = page.getByRole('toolbar').getByRole('button', { name: 'Bearbeiten' });
      // The first touch fetches what a section is chosen with.
      await page.getByRole('radio', { name: 'Vorschau' }).tap();
      await expect(page.getByRole('region', { name: 'Abschnitte der Seite' })).toBeAttached();
      const { x, y } = await stillBox(desk.preview.getByRole('heading', { level: 1 }));
      await page.touchscreen.tap(x + 40, y + 20);
      await expect(edit).toBeVisible();
      const before = await stillBox(header);
      expect(before.height).toBeLessThan(60);
      await edit.tap();
      await page.setViewportSize({ width: 390, height: 420 });
      const field = page.getByRole('dialog').getByRole('textbox').nth(1);
      await field.tap();
      await field.fill('Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen '.repeat(2).trim());
      await expect(field).toBeInViewport({ ratio: 1 });
      await expect(page.locator('[data-save=saved]')).toBeVisible();
      expect((await stillBox(header)).height).toBe(before.height);
    });
  });
});

test('everything is within reach of the keyboard', async ({ desk, page }) => {
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('List the posts');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('List the pages');
  await expect(desk.composer).toHaveValue('List the posts\nList the pages');
  await page.keyboard.press('Enter');
  await expect(desk.tool(/^Listed \d+ posts$/)).toBeVisible();
  await desk.untilIdle();

  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('What did I ask first?');
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  for (let stops = 0; stops < 5 && (await focused.getAttribute('aria-label')) !== composerStrings.send; stops += 1) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await expect(desk.answers).toHaveCount(2);
  await expect(desk.answers.last()).toContainText('List the posts');
});

test('a page beside the desk scrolls by keys, begins at its top, and is where it was left when one goes back', async ({
  desk: _,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto(LIBRARY_PAGES_PATH);
  await expect(page.getByRole('link', { name: pagesStrings.open('Workshops') })).toBeVisible();
  const scrolled = () => page.getByRole('main').evaluate(({ parentElement }) => parentElement!.scrollTop);
  expect(await scrolled()).toBe(0);
  await page.keyboard.press('PageDown');
  await expect.poll(scrolled).toBeGreaterThan(100);
  await page.keyboard.press('End');
  const end = () =>
    page.getByRole('main').evaluate(({ parentElement: pane }) => pane!.scrollHeight - pane!.clientHeight);
  await expect.poll(async () => Math.round(await scrolled()) - Math.round(await end())).toBe(0);
  const left = await scrolled();
  await page.getByRole('link', { name: libraryStrings.shell.media }).click();
  await expect(page.getByRole('heading', { name: libraryStrings.media.title })).toBeVisible();
  await expect.poll(scrolled).toBe(0);
  await page.goBack();
  await expect(page.getByRole('link', { name: pagesStrings.open('Workshops') })).toBeAttached();
  await expect.poll(scrolled).toBe(left);
});

// Without the fixture `desk`: the browser reports every request that fails.
test('a menu opens at the very first key, and a tooltip with the focus', async ({ page, server }) => {
  const theme = page.getByRole('button', { name: strings.theme.label });
  const menu = page.getByRole('menu', { name: strings.theme.label });
  for (const key of ['Enter', 'Space', 'ArrowDown']) {
    await page.goto(server.url);
    await expect(page.getByRole('textbox', { name: composerStrings.label })).toBeFocused();
    await theme.press(key);
    await expect(menu.getByRole('menuitemradio').first()).toBeFocused();
    await page.keyboard.press('End');
    await expect(menu.getByRole('menuitemradio').last()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
    await expect(theme).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tooltip', { name: strings.language.label })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tooltip')).toHaveCount(0);
});
