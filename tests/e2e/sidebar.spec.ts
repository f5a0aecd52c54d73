import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { sessionIdOf } from '#components/workspace/navigation.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { userMessage } from '#tests/e2e/support/other-hands';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';

const t = translator('sidebar');

test('the list shows what each conversation does; one is found, renamed and deleted by keyboard', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const { server } = await startScripted(async (request) => {
    if (newestRequest(request).includes('Clean up'))
      return { toolCalls: [{ id: 'call_1', name: 'delete_content', input: { ref: 'commissions' } }] };
    await gate.opened;
    return { text: 'Done.' };
  });
  const api = createApiClient({ baseUrl: server.url });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  await desk.send('Paint it blue');
  await expect(desk.stopButton).toBeVisible();
  const sessionId = sessionIdOf(new URL(page.url()).pathname) ?? '';
  const row = desk.sidebar
    .getByRole('region', { name: t('groups.today') })
    .getByRole('link', { name: 'Paint it blue' });
  await desk.newChat();
  await expect(row).toHaveAccessibleName(new RegExp(t('working')));

  // Another program writes into it.
  await api.queue.add({ sessionId, clientRequestId: 'req_1', message: userMessage('And smaller') });
  await expect(row).toHaveAccessibleName(new RegExp(t('queued', { count: 1 })));
  await desk.send('Clean up');
  await expect(page).toHaveURL(/\/c\/ses_/);
  await desk.newChat();
  const asking = desk.sidebar.getByRole('link', { name: 'Clean up' });
  await expect(asking).toHaveAccessibleName(new RegExp(t('waitsForApproval')));
  gate.open();
  await expect(row).not.toHaveAccessibleName(new RegExp(t('working')));
  await expect(row).not.toHaveAccessibleName(new RegExp(t('queued', { count: 1 })));
  await expect(asking).toHaveAccessibleName(new RegExp(t('waitsForApproval')));

  await desk.sidebar.getByRole('searchbox').fill('blue');
  await expect(desk.sidebar.getByRole('listitem').getByRole('link')).toHaveText([/Paint it blue/]);
  const actions = (title: string) => desk.sidebar.getByRole('button', { name: t('actions', { title }) });
  await actions('Paint it blue').press('Enter');
  await page.getByRole('menuitem', { name: t('rename') }).press('Enter');
  await expect(page.getByRole('textbox', { name: t('renameLabel') })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Blue handles');
  await page.keyboard.press('Enter');
  await expect(desk.sidebar.getByRole('link', { name: /Blue handles/ })).toBeFocused();

  await actions('Blue handles').press('Enter');
  await page.getByRole('menuitem', { name: t('remove') }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: t('removeTitle') });
  await escapeFrom(dialog);
  await expect(actions('Blue handles')).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: t('remove') }).press('Enter');
  await dialog.getByRole('button', { name: t('remove') }).press('Enter');
  await expect(page.getByText(t('removed'))).toBeVisible();
  await expect(desk.sidebar.getByText(t('noMatch', { query: 'blue' }))).toBeVisible();
});
