import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';
import { stillBox, tabTo } from '#tests/e2e/support/waits';

const tComposer = translator('composer');
const tTab = translator('tab');
const t = translator('sidebar');
const tPreview = translator('preview');
const tShared = translator('shared');

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('chat and preview are two tabs, conversations a drawer, and no page is too wide', async ({
    desk,
    page,
    startScripted,
  }) => {
    // A server of its own: people of other tests who had the page open would be shown in the bar.
    const { server } = await startScripted(think);
    await page.goto(server.url);
    const tabs = page.getByRole('radiogroup', { name: tTab('label') });
    await expect(tabs).toBeVisible();
    // On a phone, Enter begins a new line; the button sends.
    await desk.composer.tap();
    await page.keyboard.type('One');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await expect(desk.composer).toHaveValue('One\ntwo');
    await expect(page).toHaveURL(/\/$/);
    await desk.send('Change the hero heading on Home to "Made by hand"');
    await expect(desk.tool('Changed heading on Home')).toBeVisible();
    await expect(page.locator('iframe').first()).toBeHidden();

    await tabs.getByRole('radio', { name: tTab('preview') }).tap();
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
    const publish = page.getByRole('button', { name: tShared('page.publish'), exact: true });
    const more = page.getByRole('button', { name: tPreview('more'), exact: true });
    expect((await stillBox(publish)).y).toBe((await stillBox(more)).y);
    await publish.tap();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: tShared('page.publish') })
      .tap();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);

    await tabs.getByRole('radio', { name: tTab('chat') }).tap();
    await expect(desk.composer).toBeVisible();
    await page.getByRole('button', { name: t('open') }).tap();
    await expect(desk.sidebar.getByRole('link', { name: /Made by hand/ })).toBeVisible();
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(overflow).toBeLessThanOrEqual(0);

    // A word longer than the screen widens no page of the site.
    const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
    const items = [{ label: word, href: '/', children: [{ label: word, href: '/' }] }];
    const hero = { type: 'hero', fields: { heading: word, subheading: word, ctaLabel: word, ctaHref: '/' } };
    const text = { type: 'text', fields: { heading: word, body: `| ${word} | b |\n| - | - |\n| ${word} | ${word} |` } };
    const cta = { type: 'call-to-action', fields: { heading: word, buttonLabel: word, buttonHref: '/' } };
    const api = `${server.url}/api/content`;
    expect((await page.request.put(`${api}/navigation`, { data: { items } })).ok()).toBe(true);
    const long = { title: word, slug: 'long', sections: [hero, text, cta] };
    expect((await page.request.post(`${api}/pages`, { data: long })).ok()).toBe(true);
    for (const path of ['/preview/long', '/site']) {
      await page.goto(`${server.url}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await overflow(), path).toBe(0);
    }
  });
});

test('everything is within reach of the keyboard', async ({ desk, page, server }) => {
  await page.goto(server.url);
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
  await tabTo(page, tComposer('send'));
  await page.keyboard.press('Enter');
  await expect(desk.answers).toHaveCount(2);
  await expect(desk.answers.last()).toContainText('List the posts');
});
