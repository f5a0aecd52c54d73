import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { sessionIdOf } from '#components/workspace/navigation.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';

const t = translator('sidebar');

test('the list shows which conversation works, has queued messages or waits for approval', async ({
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
  await page.goto(server.url);
  await desk.send('Paint it blue');
  await expect(desk.stopButton).toBeVisible();
  const sessionId = sessionIdOf(new URL(page.url()).pathname) ?? '';
  const row = desk.sidebar.getByRole('link', { name: 'Paint it blue' });
  await desk.newChat();
  await expect(row).toHaveAccessibleName(new RegExp(t('working')));

  // Another program writes into it.
  await api.queue.add({
    sessionId,
    clientRequestId: 'req_1',
    message: { id: 'msg', role: 'user', parts: [{ type: 'text', text: 'And smaller' }] },
  });
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
});
