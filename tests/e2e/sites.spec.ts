import { accessStrings } from '#components/access/words.ts';
import { adminStrings } from '#components/admin/words.ts';
import { paths } from '#components/api/paths.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { ADMIN_PATH } from '#components/workspace/navigation.ts';
import { de } from '#components/languages/de.ts';
import { strings } from '#components/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { siteChoicesSchema } from '#server/core/site/remote-site';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { chooseGerman, englishOn } from '#tests/e2e/support/in-german';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { startAccountsServer } from '#tests/support/accounts-server';
import { startWordPressStub, STUB_USER } from '#tests/support/wordpress-stub';

test('two tabs work on two sites side by side, and an approval that waits holds up neither', async ({
  desk,
  page,
  context,
  startOwnScripted,
}) => {
  const wordpress = await startWordPressStub();
  try {
    const { server } = await startOwnScripted((request) =>
      newestRequest(request).includes('sale') && request.messages.at(-1)?.role === 'user'
        ? { toolCalls: [{ id: 'call_1', name: 'publish_content', input: { ref: 'winter-seconds-sale' } }] }
        : { text: 'Done.' },
    );
    const choice = page.getByRole('combobox', { name: strings.sites.label });
    await page.goto(server.url);
    await expect(desk.composer).toBeVisible();
    await expect(choice).toHaveCount(0);
    const connected = await page.request.post(`${server.url}/api/settings/sites`, {
      data: { url: wordpress.url, ...STUB_USER },
    });
    expect(connected.status()).toBe(201);
    const sites = async () =>
      ((await (await page.request.get(server.url + paths.sites)).json()) as { items: { id: string }[] }).items;
    await expect.poll(async () => (await sites()).length).toBe(2);
    const theirs = (await sites())[1]!.id;

    // On the built-in site something waits for a decision.
    await page.reload();
    await expect(choice).toHaveValue('embedded');
    await desk.send('Publish the sale');
    await expect(desk.approval).toBeVisible();
    const waitingAt = page.url();

    // Another tab chooses the other site with the keyboard.
    const second = new Workspace(await context.newPage());
    const other = second.page;
    await other.goto(server.url);
    const otherChoice = other.getByRole('combobox', { name: strings.sites.label });
    await otherChoice.focus();
    const loaded = other.waitForEvent('load');
    await otherChoice.press('ArrowDown');
    await loaded;
    await expect(otherChoice).toHaveValue(theirs);
    await expect(second.sidebar.getByRole('link', { name: 'Publish the sale' })).toHaveCount(0);
    await second.ask('What is here?');
    await expect(second.answers.last()).toContainText('Done.');
    await expect(second.preview.getByText('Stub & Sons').first()).toBeVisible();

    // The first tab goes on with its own site, also after it was loaded again, and what it decides is done there.
    await page.reload();
    await expect(choice).toHaveValue('embedded');
    await expect(page).toHaveURL(waitingAt);
    await desk.approve();
    await expect(desk.preview.getByText('Stub & Sons')).toHaveCount(0);
    await page.getByRole('link', { name: sidebarStrings.newChat }).click();
    await expect(desk.sidebar.getByRole('link', { name: 'What is here?' })).toHaveCount(0);

    // The address of a conversation opens its own site.
    await page.goto(other.url());
    await expect(choice).toHaveValue(theirs);
    await expect(desk.answers.last()).toContainText('Done.');

    // The administrator sees which site a conversation works on, and only those of one where they want to.
    await page.goto(server.url + ADMIN_PATH);
    const rows = page.getByRole('table').getByRole('row');
    await expect(rows.filter({ hasText: 'What is here?' })).toContainText('Stub & Sons');
    await expect(rows.filter({ hasText: 'Publish the sale' })).toContainText(strings.sites.own('Tidewrack Pottery'));
    const wanted = page.getByRole('combobox', { name: adminStrings.sessions.site, exact: true });
    await wanted.selectOption(theirs);
    await expect(rows.filter({ hasText: 'Publish the sale' })).toHaveCount(0);
    await expect(rows.filter({ hasText: 'What is here?' })).toHaveCount(1);
    await page.reload();
    await expect(wanted).toHaveValue(theirs);

    // On a phone it is above the list of conversations.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(server.url);
    await page.getByRole('button', { name: sidebarStrings.open }).click();
    await expect(choice).toHaveValue(theirs);
    const back = page.waitForEvent('load');
    await choice.selectOption('embedded');
    await back;
    await page.getByRole('button', { name: sidebarStrings.open }).click();
    await expect(desk.sidebar.getByRole('link', { name: 'Publish the sale' })).toBeVisible();
  } finally {
    wordpress.close();
  }
});

test('somebody with one site of several sees that one published, and with none what to do until they are given one', async ({
  page,
  openOther,
}) => {
  const wordpress = await startWordPressStub();
  await using server = await startAccountsServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  try {
    const { owner, editor } = server.people;
    const asOwner = async (method: string, path: string, body?: object) =>
      server.ask(owner, { method, path, ...(body && { body }) });
    await asOwner('POST', '/api/settings/sites', { url: wordpress.url, ...STUB_USER });
    const sites = async () => siteChoicesSchema.parse((await asOwner('GET', paths.sites)).json()).items;
    await expect.poll(async () => (await sites()).length).toBe(2);
    const theirs = (await sites())[1]!.id;
    await asOwner('PATCH', `/api/users/${editor.id}`, { sites: [theirs] });

    const desk = await openOther();
    await takeCookie(desk.page.context(), editor.cookie, server.url);
    await desk.page.goto(server.url);
    await expect(desk.preview.getByText('Stub & Sons').first()).toBeVisible();
    await expect(desk.page.getByRole('combobox', { name: strings.sites.label })).toHaveCount(0);
    await desk.page.getByRole('radio', { name: previewStrings.published }).click();
    await expect(desk.page.locator(`iframe[aria-hidden="false"][src*="/site/~${theirs}"]`)).toBeVisible();
    await expect(desk.preview.getByText('Stub & Sons').first()).toBeVisible();

    // Their only site is disconnected.
    expect((await asOwner('DELETE', `/api/settings/sites/${theirs}`)).status).toBe(204);
    await desk.page.reload();
    await expect(desk.page.getByRole('heading', { name: strings.sites.none })).toBeVisible();
    await expect(desk.page.getByRole('button', { name: accessStrings.account.open('Edith Editor') })).toBeVisible();
    await expectAccessible(desk.page);
    await chooseGerman(desk.page, server.url);
    await desk.page.reload();
    await expect(desk.page.getByRole('heading', { name: de.strings.sites.none })).toBeVisible();
    expect(await englishOn(desk.page)).toEqual([]);

    // An administrator finds at their name that they have none of what there is.
    await takeCookie(page.context(), owner.cookie, server.url);
    await page.goto(`${server.url}/admin/settings#settings-people`);
    await page.getByRole('button', { name: accessStrings.people.editOf('Edith Editor') }).click();
    const all = page.getByRole('checkbox', { name: accessStrings.people.form.allSites });
    await expect(all).not.toBeChecked();
    await all.check();
    await page.getByRole('button', { name: accessStrings.people.form.save, exact: true }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await desk.page.getByRole('button', { name: de.strings.common.retry }).click();
    await expect(desk.page.getByRole('textbox', { name: de.composerStrings.label })).toBeVisible();
  } finally {
    wordpress.close();
  }
});
