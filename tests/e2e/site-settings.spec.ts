import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { startAccountsServer } from '#tests/support/accounts-server';

const tLinkField = translator('linkField');

const tSiteSettings = translator('siteSettings');
const t = translator('command');
const tShared = translator('shared');
const tSectionPanel = translator('sectionPanel.list');

test('the site name and menu are edited, visible to visitors, and never overwrite other saves', async ({
  page,
  openOther,
}) => {
  await using server = await startAccountsServer({ env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  const { owner, editor, author } = server.people;
  await takeCookie(page.context(), owner.cookie, server.url);
  const api = `${server.url}/api/content`;
  const headers = { origin: server.origin };
  const publish = async (title: string, slug: string, parent?: string) => {
    const made = await page.request.post(`${api}/pages`, { data: { title, slug, parent }, headers });
    const { entry } = (await made.json()) as { entry: { id: string } };
    await page.request.post(`${api}/pages/${entry.id}/publish`, { headers });
    return entry.id;
  };
  await publish('Welcome', 'home');
  await publish('Mugs', 'mugs', await publish('Shop', 'shop'));
  await page.request.post(`${api}/pages`, { data: { title: 'Not yet', slug: 'not-yet' }, headers });

  // Found by what one would call it.
  await page.goto(server.url);
  await expect(new Workspace(page).composer).toBeFocused();
  for (const words of ['menu', 'settings of the site', 'site']) {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(t('placeholder')).fill(words);
    await expect(page.getByRole('option', { name: t('titles.site') })).toBeVisible();
    if (words !== 'site') await page.keyboard.press('Escape');
  }
  await page.getByRole('option', { name: t('titles.site') }).click();
  await expect(page.getByRole('heading', { name: tSiteSettings('title'), exact: true })).toBeVisible();

  const look = page.getByRole('form', { name: tSiteSettings('look.title') });
  const name = look.getByLabel(tSiteSettings('look.fields.siteName.label'));
  const save = look.getByRole('button', { name: tSiteSettings('save') });
  const visitors = async () => (await page.request.get(`${server.url}/site`)).text();
  await name.fill('');
  await save.click();
  await expect(look.getByText('Must not be empty.')).toBeVisible();
  await expect(name).toBeFocused();
  await name.fill('Kiln & Clay');
  await look.getByLabel(tSiteSettings('look.fields.contactEmail.label')).fill('hello@kiln.example');
  // Leaving now would lose it.
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page
    .getByRole('alertdialog', { name: tSiteSettings('leave.title') })
    .getByRole('button', { name: tShared('common.cancel') })
    .click();
  await save.click();
  await expect(page.getByText(tSiteSettings('look.saved'))).toBeVisible();
  expect(await visitors()).toContain('Kiln &amp; Clay');

  // All pages make a menu; one more item, and one below it, added manually.
  const menu = page.getByRole('form', { name: tSiteSettings('menu.title') });
  await menu.getByRole('button', { name: tSiteSettings('menu.addAll') }).click();
  const item = (label: string) => menu.getByRole('button', { name: label, exact: true });
  await expect(item('Welcome')).toBeVisible();
  await menu
    .getByRole('button', { name: tSectionPanel('add', { item: 'Item', itemWithArticle: 'an item' }) })
    .last()
    .click();
  const shown = (label: string) => menu.getByLabel(label, { exact: true }).filter({ visible: true });
  await expect(shown(tSiteSettings('menu.label'))).toBeFocused();
  await menu
    .getByRole('button', { name: tLinkField('pick') })
    .filter({ visible: true })
    .click();
  await page
    .getByRole('button', { name: /Not yet/ })
    .last()
    .click();
  await expect(shown(tSiteSettings('menu.label'))).toHaveValue('Not yet');
  await expect(menu.getByText(tSiteSettings('menu.marks.draft'))).toBeVisible();
  await shown(tSiteSettings('menu.target')).fill('/nowhere');
  await expect(menu.getByText(tSiteSettings('menu.marks.nowhere'))).toBeVisible();
  await shown(tSiteSettings('menu.target')).fill('/shop');
  await shown(tSiteSettings('menu.label')).fill('For the kitchen');
  const below = menu.getByRole('region', { name: tSiteSettings('menu.below', { name: 'For the kitchen' }) });
  await below.getByRole('button', { name: tSectionPanel('add', { item: 'Item', itemWithArticle: 'an item' }) }).click();
  await below.getByLabel(tSiteSettings('menu.label'), { exact: true }).fill('Cups');
  await below.getByLabel(tSiteSettings('menu.target'), { exact: true }).fill('/shop/mugs');
  await menu
    .getByRole('button', { name: tSiteSettings('menu.up') })
    .filter({ visible: true })
    .last()
    .click();
  const stored = async () => {
    const read = await page.request.get(`${api}/navigation`);
    const { items } = (await read.json()) as { items: { label: string; children?: { label: string }[] }[] };
    return items.map(({ label, children = [] }) => [label, ...children.map((child) => child.label)]);
  };
  expect(await stored()).toEqual([]);
  await menu.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect(page.getByText(tSiteSettings('menu.saved'))).toBeVisible();
  expect(await stored()).toEqual([['Welcome'], ['For the kitchen', 'Cups'], ['Shop', 'Mugs']]);
  expect(await visitors()).toContain('For the kitchen');
  await page
    .locator('[data-sonner-toast]')
    .filter({ hasText: tSiteSettings('menu.saved') })
    .getByRole('button')
    .click();
  await expect(menu.getByText(tSiteSettings('menu.none'))).toBeVisible();
  expect(await stored()).toEqual([]);

  // Another user is quicker.
  const second = await openOther();
  await takeCookie(second.page.context(), editor.cookie, server.url);
  await second.page.goto(`${server.url}/library/site`);
  const theirs = second.page.getByRole('form', { name: tSiteSettings('look.title') });
  const theirName = theirs.getByLabel(tSiteSettings('look.fields.siteName.label'));
  await theirName.fill('Clay & Kiln');
  await theirs.getByLabel(tSiteSettings('look.fields.footerText.label')).fill('Open on Mondays');
  await name.fill('The kiln');
  await look.getByLabel(tSiteSettings('look.fields.tagline.label')).fill('Stoneware');
  await save.click();
  await expect(look.getByText(tSiteSettings('unsaved'))).toHaveCount(0);
  await theirs.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect(theirs.getByRole('alert')).toContainText(tSiteSettings('overtaken'));
  await expect(theirs.getByText(tSiteSettings('look.stored', { value: 'The kiln' }))).toBeVisible();
  await expect(theirs.getByLabel(tSiteSettings('look.fields.tagline.label'))).toHaveValue('Stoneware');
  await theirs.getByRole('button', { name: tSiteSettings('look.take') }).click();
  await expect(theirName).toHaveValue('The kiln');
  await theirs.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect(theirs.getByText(tSiteSettings('unsaved'))).toHaveCount(0);
  const seen = await visitors();
  for (const text of ['The kiln', 'Open on Mondays']) expect(seen).toContain(text);

  // A menu is one value: the other user's version is shown next to the own one, and taken or replaced.
  const theirMenu = second.page.getByRole('form', { name: tSiteSettings('menu.title') });
  await theirMenu.getByRole('button', { name: tSiteSettings('menu.addAll') }).click();
  await menu.getByRole('button', { name: tSectionPanel('add', { item: 'Item', itemWithArticle: 'an item' }) }).click();
  await menu.getByLabel(tSiteSettings('menu.target'), { exact: true }).fill('/shop');
  await expect(shown(tSiteSettings('menu.label'))).toHaveValue('Shop');
  await menu.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect.poll(stored).toEqual([['Shop']]);
  await theirMenu.getByRole('button', { name: tSiteSettings('save') }).click();
  const other = theirMenu.getByRole('region', { name: tSiteSettings('menu.stored') });
  await expect(other.getByRole('listitem')).toHaveText(['Shop /shop']);
  await theirMenu.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect(other).toHaveCount(0);
  await expect.poll(stored).toEqual([['Welcome'], ['Shop', 'Mugs']]);

  const third = await openOther();
  await takeCookie(third.page.context(), author.cookie, server.url);
  await third.page.goto(`${server.url}/library/site`);
  await expect(third.page.getByText(tSiteSettings('editorsOnly'))).toHaveCount(2);
  await expect(third.page.getByRole('textbox', { name: tSiteSettings('look.fields.siteName.label') })).toBeDisabled();
  await expect(third.page.getByRole('button', { name: tSiteSettings('save') })).toHaveCount(0);
});
