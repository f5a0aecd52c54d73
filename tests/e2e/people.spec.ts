import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { PASSWORD, signIn, type SignedIn, startAccountsServer } from '#tests/support/accounts-server';
import { openThings } from '#tests/support/editors-things';

const tImport = translator('import');
const tLibrary = translator('library');

const tAccess = translator('access');
const t = translator('approval');
const tCalls = translator('calls');
const tShared = translator('shared');

test('an author is invited by link, requests changes that an editor approves, becomes editor', async ({
  page,
  openOther,
}) => {
  await using server = await startAccountsServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  using maker = await openThings(server.databaseFile);
  const enter = async (at: Page, { email }: SignedIn) =>
    takeCookie(at.context(), await signIn(server.url, server.origin, email), server.url);
  const field = (at: Page, label: string) => at.getByLabel(label, { exact: true });

  // Without a mail server, the link is handed over.
  const { owner, editor } = server.people;
  await enter(page, owner);
  await page.route('**/api/auth/me', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${server.url}/admin/settings#settings-people`);
  // What is typed before it is known who looks stays when that comes, and the people with it.
  await expect(page).toHaveURL(/\/settings\/people#settings-people$/);
  const address = page.getByRole('textbox', { name: tAccess('personalData.email') });
  await address.fill('ivy@kiln.example');
  await page.unroute('**/api/auth/me');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  const add = page.getByRole('button', { name: tAccess('people.add') });
  await expect(add).toBeVisible();
  await expect(address).toHaveValue('ivy@kiln.example');
  await add.click();
  await field(page, tAccess('people.form.name')).fill('Ivy');
  await field(page, tAccess('people.form.email')).fill('ivy@kiln.example');
  await page
    .getByRole('dialog')
    .getByRole('radio', { name: tAccess('account.roles.author') })
    .click();
  await expectAccessibleOnPhone(page);
  await page.getByRole('button', { name: tAccess('people.form.save'), exact: true }).click();
  const handed = page.getByRole('dialog', { name: tAccess('people.linkTitle', { name: 'Ivy' }) });
  const link = await handed.getByLabel(tAccess('people.linkField'), { exact: true }).inputValue();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await handed.getByRole('button', { name: tAccess('people.linkDone') }).click();
  const ivy = page.getByRole('article', { name: 'Ivy' });
  await expect(ivy).toContainText(tAccess('people.invited'));

  const author = await openOther();
  await author.page.goto(link);
  await expect(author.page.getByRole('heading', { name: tAccess('choose.invited') })).toBeVisible();
  await expect(field(author.page, tAccess('login.email'))).toHaveValue('ivy@kiln.example');
  await field(author.page, tAccess('login.password')).fill(PASSWORD);
  await author.page.getByRole('button', { name: tAccess('choose.submit') }).click();
  await expect(author.sidebar.getByRole('button', { name: tAccess('account.open', { name: 'Ivy' }) })).toBeVisible();

  // A change that visitors would see waits for an approver, which its card states.
  await author.send('publish Winter seconds sale');
  await expect(author.approval).toContainText(t('editorialTitle', { count: 1 }));
  await expect(author.approval).toContainText(t('editorial'));
  await expect(author.approval.getByRole('button', { name: t('withdraw') })).toBeVisible();
  await expect(author.approval.locator('[data-decision="approve"]')).toHaveCount(0);

  const other = await openOther();
  await enter(other.page, editor);
  await other.page.goto(server.url);
  await other.sidebar.getByRole('link', { name: tShared('waitingCalls', { count: 1 }) }).click();
  const waiting = other.page.getByRole('region', { name: tCalls('title') });
  await expect(waiting).toContainText(tCalls('authorAsks', { name: 'Ivy' }));
  await waiting.locator('[data-decision="approve"]').click();
  await expect(waiting.getByRole('paragraph').getByText(tCalls('empty'))).toBeVisible();
  await author.untilIdle();
  await expect(author.approval).toHaveCount(0);
  await expect
    .poll(async () => (await author.page.request.get(`${server.url}/site/winter-seconds-sale`)).status())
    .toBe(200);

  // Nothing is offered that would be refused.
  await author.page.goto(`${server.url}/library/trash`);
  await expect(author.page.getByRole('heading', { name: tLibrary('trash.title') })).toBeVisible();
  await expect(author.page.getByRole('link', { name: tImport('tab') })).toHaveCount(0);

  // With a sign-in of hours ago, no role changes before it is repeated.
  await maker.signedInEarlier(owner.id);
  await ivy.getByRole('button', { name: tAccess('account.roles.editor') }).click();
  const dialog = page.getByRole('dialog', { name: tAccess('again.title') });
  await field(page, tAccess('login.password')).fill('not the right one');
  await dialog.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('is wrong');
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await field(page, tAccess('login.password')).fill(PASSWORD);
  await dialog.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ivy.getByRole('button', { name: tAccess('account.roles.editor'), pressed: true })).toBeVisible();
  await expect(
    page.getByText(tAccess('people.roleSaved', { name: 'Ivy', role: tAccess('account.roles.editor') })),
  ).toBeVisible();
  await author.page.reload();
  await expect(author.page.getByRole('link', { name: tImport('tab') })).toBeVisible();

  await author.page.goto(`${server.url}/account`);
  await expect(author.page.getByRole('region', { name: tAccess('signIns.title') }).getByRole('article')).toHaveCount(1);
  await author.page.getByRole('button', { name: tAccess('signIns.everywhere') }).click();
  await author.page
    .getByRole('alertdialog')
    .getByRole('button', { name: tAccess('signIns.everywhere') })
    .click();
  await expect(author.page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();

  // By keyboard, the next Enter changes no role.
  const question = page.getByRole('alertdialog');
  await ivy.getByRole('button', { name: tAccess('people.removeOf', { name: 'Ivy' }) }).press('Enter');
  await question.getByRole('button', { name: tAccess('people.remove') }).press('Enter');
  await expect(ivy).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveText(tAccess('people.edit'));
});

// Without the fixture `desk`: the browser reports the page that is refused.
test('administrators confirm before they give up their own rights, and reach an open page', async ({ page }) => {
  await using server = await startAccountsServer({ seed: true });
  await takeCookie(page.context(), server.people.admin.cookie, server.url);
  await page.goto(`${server.url}/admin/settings/people`);
  const other = page.getByRole('article', { name: 'Otto Other' });
  await other.getByRole('button', { name: tAccess('account.roles.author') }).click();
  await expect(other.getByRole('button', { name: tAccess('account.roles.author'), pressed: true })).toBeVisible();
  await page.getByRole('button', { name: tAccess('people.undo'), exact: true }).click();
  await expect(other.getByRole('button', { name: tAccess('account.roles.editor'), pressed: true })).toBeVisible();

  // A second choice during the first request is applied too, and the last choice wins.
  const gate = createGate();
  await page.route('**/api/users/*', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await other.getByRole('button', { name: tAccess('account.roles.author') }).click();
  await expect(other.getByRole('button', { name: tAccess('account.roles.author'), pressed: true })).toBeVisible();
  await other.getByRole('button', { name: tAccess('account.roles.editor') }).click();
  await expect(other.getByRole('button', { name: tAccess('account.roles.editor'), pressed: true })).toBeVisible();
  gate.open();
  await expect(
    page.getByText(tAccess('people.roleSaved', { name: 'Otto Other', role: tAccess('account.roles.editor') })),
  ).toBeVisible();
  await expect(other.getByRole('button', { name: tAccess('account.roles.editor'), pressed: true })).toBeVisible();
  await page.unrouteAll();

  const own = page.getByRole('article', { name: 'Ada Admin' });
  const question = page.getByRole('alertdialog', { name: tAccess('people.ownRole.title') });
  await own.getByRole('button', { name: tAccess('account.roles.editor') }).click();
  await expect(question).toContainText(tAccess('people.ownRole.body', { role: tAccess('account.roles.editor') }));
  await question.getByRole('button', { name: tShared('common.cancel') }).click();
  await expect(own.getByRole('button', { name: tAccess('account.roles.admin'), pressed: true })).toBeVisible();
  await own.getByRole('button', { name: tAccess('account.roles.editor') }).click();
  await question.getByRole('button', { name: tAccess('people.ownRole.confirm') }).click();
  const gone = page.getByRole('alertdialog', { name: tAccess('people.rightsGone.title') });
  await gone.getByRole('button', { name: tAccess('people.rightsGone.go') }).click();
  await expect(page).toHaveURL(`${server.url}/`);
  await page.goto(`${server.url}/admin/settings`);
  await expect(page.getByRole('heading', { name: tAccess('forbidden.title') })).toBeVisible();
  const fonts = () =>
    page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family));
  await expect.poll(fonts).toContain('Newsreader Variable');
});
