import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { ADMIN_PATH } from '#components/workspace/navigation.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { startWordPressStub, STUB_USER } from '#tests/support/wordpress-stub';

const tAdmin = translator('admin');
const t = translator('sidebar');
const tShared = translator('shared');

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
    const choice = page.getByRole('combobox', { name: tShared('sites.label') });
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
    const otherChoice = other.getByRole('combobox', { name: tShared('sites.label') });
    await otherChoice.focus();
    const loaded = other.waitForEvent('load');
    await otherChoice.press('ArrowDown');
    await loaded;
    await expect(otherChoice).toHaveValue(theirs);
    await expect(second.sidebar.getByRole('link', { name: 'Publish the sale' })).toHaveCount(0);
    await second.ask('What is here?');
    await expect(second.answers.last()).toContainText('Done.');
    await expect(second.preview.getByText('Stub & Sons').first()).toBeVisible();

    // The first tab continues with its site, also after a reload, and its decisions apply there.
    await page.reload();
    await expect(choice).toHaveValue('embedded');
    await expect(page).toHaveURL(waitingAt);
    await desk.approve();
    await expect(desk.preview.getByText('Stub & Sons')).toHaveCount(0);
    await page.getByRole('link', { name: t('newChat') }).click();
    await expect(desk.sidebar.getByRole('link', { name: 'What is here?' })).toHaveCount(0);

    // The address of a conversation opens its own site.
    await page.goto(other.url());
    await expect(choice).toHaveValue(theirs);
    await expect(desk.answers.last()).toContainText('Done.');

    // The administrator sees which site a conversation works on, and only those of one where they want to.
    await page.goto(server.url + ADMIN_PATH);
    const rows = page.getByRole('table').getByRole('row');
    await expect(rows.filter({ hasText: 'What is here?' })).toContainText('Stub & Sons');
    await expect(rows.filter({ hasText: 'Publish the sale' })).toContainText(
      tShared('sites.own', { name: 'Tidewrack Pottery' }),
    );
    const wanted = page.getByRole('combobox', { name: tAdmin('sessions.site'), exact: true });
    await wanted.selectOption(theirs);
    await expect(rows.filter({ hasText: 'Publish the sale' })).toHaveCount(0);
    await expect(rows.filter({ hasText: 'What is here?' })).toHaveCount(1);
    await page.reload();
    await expect(wanted).toHaveValue(theirs);

    // On a phone it is above the list of conversations.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(server.url);
    await page.getByRole('button', { name: t('open') }).click();
    await expect(choice).toHaveValue(theirs);
    const back = page.waitForEvent('load');
    await choice.selectOption('embedded');
    await back;
    await page.getByRole('button', { name: t('open') }).click();
    await expect(desk.sidebar.getByRole('link', { name: 'Publish the sale' })).toBeVisible();
  } finally {
    wordpress.close();
  }
});
