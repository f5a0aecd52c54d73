import type { Locator, Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { LIBRARY_SITE_PATH } from '#components/workspace/navigation.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';

const t = translator('siteSettings');
const tLinkField = translator('linkField');
const tCommand = translator('command');
const tShared = translator('shared');
const tSectionPanel = translator('sectionPanel.list');

const ADD_ITEM = { item: 'Item', itemWithArticle: 'an item' };

/** Publishes a home page, and a shop with mugs below it; "Not yet" stays a draft. */
async function makePages(server: AccountsServer): Promise<void> {
  const post = (path: string, body?: object) =>
    server.ask(server.people.owner, { method: 'POST', path: `/api/content/pages${path}`, ...(body && { body }) });
  const idOf = async (title: string, slug: string, parent?: string) =>
    ((await post('', { title, slug, parent })).json() as { entry: { id: string } }).entry.id;
  const home = await idOf('Welcome', 'home');
  const shop = await idOf('Shop', 'shop');
  const mugs = await idOf('Mugs', 'mugs', shop);
  for (const id of [home, shop, mugs]) await post(`/${id}/publish`);
  await idOf('Not yet', 'not-yet');
}

const lookOf = (page: Page) => page.getByRole('form', { name: t('look.title') });
const menuOf = (page: Page) => page.getByRole('form', { name: t('menu.title') });
const visible = (form: Locator, label: string) => form.getByLabel(label, { exact: true }).filter({ visible: true });
const save = (form: Locator) => form.getByRole('button', { name: t('save') }).click();

/** Makes a menu of all pages, then adds an item by hand: its page, its words, one below it, and its place. */
async function makeMenu(menu: Locator): Promise<void> {
  await menu.getByRole('button', { name: t('menu.addAll') }).click();
  await expect(menu.getByRole('button', { name: 'Welcome', exact: true })).toBeVisible();
  const add = tSectionPanel('add', ADD_ITEM);
  await menu.getByRole('button', { name: add }).last().click();
  const label = visible(menu, t('menu.label'));
  await expect(label).toBeFocused();
  await menu
    .getByRole('button', { name: tLinkField('pick') })
    .filter({ visible: true })
    .click();
  await menu
    .page()
    .getByRole('button', { name: /Not yet/ })
    .last()
    .click();
  await expect(label).toHaveValue('Not yet');
  await expect(menu.getByText(t('menu.marks.draft'))).toBeVisible();
  await visible(menu, t('menu.target')).fill('/nowhere');
  await expect(menu.getByText(t('menu.marks.nowhere'))).toBeVisible();
  await visible(menu, t('menu.target')).fill('/shop');
  await label.fill('For the kitchen');
  const below = menu.getByRole('region', { name: t('menu.below', { name: 'For the kitchen' }) });
  await below.getByRole('button', { name: add }).click();
  await below.getByLabel(t('menu.label'), { exact: true }).fill('Cups');
  await below.getByLabel(t('menu.target'), { exact: true }).fill('/shop/mugs');
  await menu
    .getByRole('button', { name: t('menu.up') })
    .filter({ visible: true })
    .last()
    .click();
}

/** An author sees the settings and can change none. */
async function expectReadOnly(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.getByText(t('editorsOnly'))).toHaveCount(2);
  await expect(page.getByRole('textbox', { name: t('look.fields.siteName.label') })).toBeDisabled();
  await expect(page.getByRole('button', { name: t('save') })).toHaveCount(0);
}

test('the site name and menu are edited, visible to visitors, and never overwrite other saves', async ({
  page,
  openOther,
}) => {
  await using server = await startAccountsServer({ env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  const { owner, editor, author } = server.people;
  await takeCookie(page.context(), owner.cookie, server.url);
  await makePages(server);
  const visitors = async () => (await page.request.get(`${server.url}/site`)).text();

  // Found by what one would call it.
  await page.goto(server.url);
  await expect(new Workspace(page).composer).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(tCommand('placeholder')).fill('settings of the site');
  await page.getByRole('option', { name: tCommand('titles.site') }).click();
  const look = lookOf(page);
  const name = look.getByLabel(t('look.fields.siteName.label'));
  await name.fill('');
  await save(look);
  await expect(look.getByText('Must not be empty.')).toBeVisible();
  await expect(name).toBeFocused();
  await name.fill('Kiln & Clay');
  // Leaving now would lose it.
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: t('leave.title') });
  await question.getByRole('button', { name: tShared('common.cancel') }).click();
  await save(look);
  await expect(page.getByText(t('look.saved'))).toBeVisible();
  expect(await visitors()).toContain('Kiln &amp; Clay');

  const menu = menuOf(page);
  await makeMenu(menu);
  const stored = async () => {
    const read = await page.request.get(`${server.url}/api/content/navigation`);
    const { items } = (await read.json()) as { items: { label: string; children?: { label: string }[] }[] };
    return items.map(({ label, children = [] }) => [label, ...children.map((child) => child.label)]);
  };
  expect(await stored()).toEqual([]);
  await save(menu);
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: t('menu.saved') });
  await expect(toast).toBeVisible();
  expect(await stored()).toEqual([['Welcome'], ['For the kitchen', 'Cups'], ['Shop', 'Mugs']]);
  expect(await visitors()).toContain('For the kitchen');
  await toast.getByRole('button').click();
  await expect(menu.getByText(t('menu.none'))).toBeVisible();
  expect(await stored()).toEqual([]);

  // Another user is quicker: fields that both changed are compared, the others are both kept.
  const { page: second } = await openOther();
  await takeCookie(second.context(), editor.cookie, server.url);
  await second.goto(`${server.url}${LIBRARY_SITE_PATH}`);
  const theirs = lookOf(second);
  await theirs.getByLabel(t('look.fields.siteName.label')).fill('Clay & Kiln');
  await theirs.getByLabel(t('look.fields.footerText.label')).fill('Open on Mondays');
  await name.fill('The kiln');
  await look.getByLabel(t('look.fields.tagline.label')).fill('Stoneware');
  await save(look);
  await expect(look.getByText(t('unsaved'))).toHaveCount(0);
  await save(theirs);
  await expect(theirs.getByRole('alert')).toContainText(t('overtaken'));
  await expect(theirs.getByText(t('look.stored', { value: 'The kiln' }))).toBeVisible();
  await expect(theirs.getByLabel(t('look.fields.tagline.label'))).toHaveValue('Stoneware');
  await theirs.getByRole('button', { name: t('look.take') }).click();
  await save(theirs);
  await expect(theirs.getByText(t('unsaved'))).toHaveCount(0);
  const seen = await visitors();
  for (const text of ['The kiln', 'Open on Mondays']) expect(seen).toContain(text);

  // A menu is one value: the other user's version is shown next to the own one, and taken or replaced.
  const theirMenu = menuOf(second);
  await theirMenu.getByRole('button', { name: t('menu.addAll') }).click();
  await menu.getByRole('button', { name: tSectionPanel('add', ADD_ITEM) }).click();
  await menu.getByLabel(t('menu.target'), { exact: true }).fill('/shop');
  await expect(visible(menu, t('menu.label'))).toHaveValue('Shop');
  await save(menu);
  await expect.poll(stored).toEqual([['Shop']]);
  await save(theirMenu);
  const other = theirMenu.getByRole('region', { name: t('menu.stored') });
  await expect(other.getByRole('listitem')).toHaveText(['Shop /shop']);
  await save(theirMenu);
  await expect(other).toHaveCount(0);
  await expect.poll(stored).toEqual([['Welcome'], ['Shop', 'Mugs']]);

  const { page: third } = await openOther();
  await takeCookie(third.context(), author.cookie, server.url);
  await expectReadOnly(third, `${server.url}${LIBRARY_SITE_PATH}`);
});
