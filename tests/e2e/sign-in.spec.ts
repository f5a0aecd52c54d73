import { translator } from '#components/i18n.ts';
import { violationsOf } from '#tests/e2e/support/accessible';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { accountsEnvironment, ownerCodeOf, PASSWORD } from '#tests/support/accounts-server';
import { colouredPicture } from '#tests/support/pictures';
import { freePort } from '#tests/support/free-port';
import { startProductionServer } from '#tests/support/production-server';

const tLibrary = translator('library.media');

const tAccess = translator('access');
const tSignedOut = translator('signedOut');
const t = translator('sidebar');
const tShared = translator('shared');

test('from the first start to a second person who may not see the settings', async ({ page }) => {
  const port = await freePort();
  await using server = await startProductionServer({ port, seed: true, env: accountsEnvironment(port) });
  const desk = new Workspace(page);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const isAccessible = async () => expect(await violationsOf(page)).toEqual([]);
  const signIn = async (email: string, password: string) => {
    await field(tAccess('login.email')).fill(email);
    await field(tAccess('login.password')).fill(password);
    await page.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
  };

  await page.goto(server.url);
  await expect(page.getByRole('heading', { name: tAccess('owner.title') })).toBeVisible();
  await isAccessible();
  await field(tAccess('owner.code')).fill('2222-2222-2222-2222-2222');
  await field(tAccess('owner.name')).fill('Olive');
  await field(tAccess('login.email')).fill('olive@kiln.example');
  await field(tAccess('login.password')).fill(PASSWORD);
  await page.getByRole('button', { name: tAccess('owner.submit') }).click();
  await expect(page.getByRole('alert').first()).toContainText('This is not the code');
  await field(tAccess('owner.code')).fill(ownerCodeOf(server).toUpperCase());
  await page.getByRole('button', { name: tAccess('owner.submit') }).click();
  await expect(desk.sidebar.getByRole('button', { name: tAccess('account.open', { name: 'Olive' }) })).toBeVisible();
  await expect(await desk.ask('List the pages')).toContainText('Workshops');

  const edith = { name: 'Edith', email: 'edith@kiln.example', role: 'editor', password: PASSWORD };
  const added = await page.request.post(`${server.url}/api/users`, { data: edith, headers: { origin: server.url } });
  expect(added.status()).toBe(201);
  await page.getByRole('button', { name: tAccess('account.open', { name: 'Olive' }) }).click();
  await page.getByRole('menuitem', { name: tAccess('account.signOut') }).click();

  await expect(page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();
  await isAccessible();
  await page.goto(`${server.url}/library/media`);
  await signIn('edith@kiln.example', 'not the right one');
  await expect(page.getByRole('alert').first()).toContainText('is wrong');
  await signIn('edith@kiln.example', PASSWORD);
  await expect(page).toHaveURL(`${server.url}/library/media`);
  await page.goto(`${server.url}/admin`);
  await expect(page.getByRole('heading', { name: tAccess('forbidden.title') })).toBeVisible();
  await isAccessible();
  await page.goto(server.url);
  await expect(desk.sidebar.getByRole('button', { name: tAccess('account.open', { name: 'Edith' }) })).toBeVisible();
  await expect(desk.sidebar.getByRole('link', { name: 'List the pages' })).toHaveCount(0);
  await expect(desk.sidebar.getByRole('link', { name: t('admin') })).toHaveCount(0);

  // Signed out in another window: the next request opens the sign-in dialog over the page.
  await desk.ask('List the posts');
  const conversation = page.url();
  await desk.composer.fill('Find posts about glaze');
  await page.context().clearCookies();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  const dialog = page.getByRole('dialog', { name: tSignedOut('title') });
  const signInAgain = async () => {
    await dialog.getByLabel(tAccess('login.password'), { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  await expect(dialog.getByLabel(tAccess('login.email'), { exact: true })).toHaveValue('edith@kiln.example');
  await isAccessible();
  await signInAgain();
  await expect(page).toHaveURL(conversation);
  await expect(desk.composer).toHaveValue('Find posts about glaze');
  await page.context().clearCookies();
  await desk.composer.press('Enter');
  await signInAgain();
  await expect(desk.requests).toHaveCount(2);

  // What is written in a form is saved after it.
  await page.goto(`${server.url}/library/pages`);
  await page.getByRole('link', { name: tLibrary('title'), exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/library/media`);
  const kiln = { name: 'kiln.png', mimeType: 'image/png', buffer: await colouredPicture('#b5651d') };
  await page.locator('input[type=file]').first().setInputFiles(kiln);
  await page.getByRole('button', { name: /kiln\.png/ }).click();
  const alt = page.getByRole('dialog').getByLabel(tLibrary('alt'), { exact: true });
  await alt.fill('A wheel in the morning light');
  // Back would discard the text, so the dialog asks. `page.goBack()` would wait for the intercepted navigation.
  const stepBack = () => page.evaluate(() => window.history.back());
  await stepBack();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: tShared('common.cancel') }).click();
  await expect(alt).toHaveValue('A wheel in the morning light');
  await page.context().clearCookies();
  await page.getByRole('button', { name: tShared('common.save'), exact: true }).click();
  await signInAgain();
  await expect(page.getByText(tLibrary('saved'))).toBeVisible();
  await stepBack();
  await expect(alt).toHaveCount(0);
  await expect(page).toHaveURL(`${server.url}/library/media`);
});
