import { createApiClient } from '#components/api/api-client.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { attachmentStrings } from '#components/chat/text/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';

test('search finds by title what is stored, not only what is listed; older ones are a button away', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'The very first talk' });
  for (let index = 0; index < 105; index += 1) await api.createSession({ title: `Talk ${index}` });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  const links = desk.sidebar.getByRole('listitem').getByRole('link');
  await expect(links).toHaveCount(100);

  const search = desk.sidebar.getByRole('searchbox', { name: sidebarStrings.search });
  await search.fill('VERY first');
  await expect(links).toHaveText([/The very first talk/]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/c\/ses_/);
  await expect(page).toHaveTitle(/^The very first talk/);

  await search.fill('nothing like it');
  await expect(desk.sidebar.getByText(sidebarStrings.noMatch('nothing like it'))).toBeVisible();
  await search.fill('');
  await desk.sidebar.getByRole('button', { name: sidebarStrings.more }).click();
  await expect(links).toHaveCount(106);
});

test('a conversation found by search can be renamed and, when asked twice, deleted, with keys alone', async ({
  desk,
  page,
  server,
}) => {
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'Talk about handles' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto('/');
  const group = desk.sidebar.getByRole('region', { name: sidebarStrings.groups.today });
  await expect(group.getByRole('link', { name: /Talk about handles/ })).toBeVisible();

  await desk.sidebar.getByRole('searchbox').fill('handles');
  await expect(desk.sidebar.getByRole('listitem').getByRole('link')).toHaveText([/Talk about handles/]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: sidebarStrings.rename }).press('Enter');
  await expect(page.getByRole('textbox', { name: sidebarStrings.renameLabel })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Talk about mug handles');
  await page.keyboard.press('Enter');
  await expect(desk.sidebar.getByRole('link', { name: /Talk about mug handles/ })).toBeFocused();

  await desk.sidebar.getByRole('button', { name: sidebarStrings.actions('Talk about mug handles') }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: sidebarStrings.remove }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: sidebarStrings.removeTitle });
  await escapeFrom(dialog);
  await expect(desk.sidebar.getByRole('link', { name: /mug handles/ })).toBeVisible();
  await expect(desk.sidebar.getByRole('button', { name: /Talk about mug handles/ })).toBeFocused();

  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: sidebarStrings.remove }).press('Enter');
  await dialog.getByRole('button', { name: sidebarStrings.remove }).press('Enter');
  await expect(page.getByText(sidebarStrings.removed)).toBeVisible();
  await expect(desk.sidebar.getByText(sidebarStrings.noMatch('handles'))).toBeVisible();
});

test('an unsent text stays with its conversation', async ({ desk, page, server }) => {
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'Half a thought' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(`/c/${id}`);
  await desk.composer.fill('Only half of');
  await desk.sidebar.getByRole('link', { name: sidebarStrings.newChat }).click();
  await expect(desk.composer).toHaveValue('');
  await desk.sidebar.getByRole('link', { name: /Half a thought/ }).click();
  await expect(desk.composer).toHaveValue('Only half of');
  // Also beside what is typed before the page's scripts have come.
  const scripts = createGate();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await scripts.opened;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await desk.composer.fill('another thought');
  scripts.open();
  await expect(desk.composer).toHaveValue('Only half of\n\nanother thought');
  await expect(desk.composer).toBeFocused();
  await desk.composer.press('End');
  await desk.composer.pressSequentially('!');
  await expect(desk.composer).toHaveValue('Only half of\n\nanother thought!');
});

test('who goes elsewhere while a conversation begins is not torn away, and it begins all the same', async ({
  desk,
  page,
  server,
}) => {
  await createApiClient({ baseUrl: server.url }).createSession({ title: 'Another talk' });
  const gate = createGate();
  await page.route(/\/attachments\?/, async (route) => {
    await gate.opened;
    await route.continue();
  });
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  const uploading = page.waitForRequest(/\/attachments\?/);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: attachmentStrings.add }).click();
  await (await chooser).setFiles([{ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('Mug,24') }]);
  await expect(page.getByText('prices.csv')).toBeVisible();
  await desk.send('Are these fair?');
  await uploading;
  await desk.sidebar.getByRole('link', { name: /Another talk/ }).click();
  await expect(page).toHaveURL(/\/c\//);

  await desk.newChat();
  gate.open();
  const begun = desk.sidebar.getByRole('link', { name: /Are these fair/ });
  await expect(begun).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await begun.click();
  await expect(desk.requests).toHaveText([/Are these fair\?/]);
  await expect(desk.requests).toContainText('prices.csv');
});
