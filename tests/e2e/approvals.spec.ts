import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const t = translator('approval');
const tTools = translator('tools');

/** Wants to delete Commissions and unpublish Workshops; tells afterwards what became of it. */
function cleaner(request: ParsedRequest) {
  const results = request.messages.filter((message) => message.role === 'tool');
  if (newestRequest(request).includes('never mind')) return { text: 'As you like.' };
  if (results.length > 0) return { text: `Results: ${JSON.stringify(results.map(({ content }) => content))}` };
  return {
    text: 'I would like to clean up.',
    toolCalls: [
      { id: 'call_1', name: 'list_content', input: { type: 'page' } },
      { id: 'call_2', name: 'delete_content', input: { ref: 'commissions' } },
      { id: 'call_3', name: 'unpublish_content', input: { ref: 'workshops' } },
    ],
  };
}

test('a tool that needs approval runs when it is approved, and not when it is denied', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(cleaner);
  const { url } = scripted.server;
  const status = async (path: string) => (await page.request.get(`${url}/site/${path}`)).status();
  await page.goto(url);
  await desk.send('Clean up');
  await expect(desk.approval).toContainText(t('title', { count: 2 }));
  await desk.untilIdle();
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  expect(await status('commissions')).toBe(200);

  const row = (title: string) => desk.approval.locator('[data-tool]').filter({ hasText: title });
  const effect = async () => {
    await expect(row('Delete commissions')).toContainText('Moves "Commissions" to the trash: /commissions');
    await expect(row('Delete commissions')).toContainText(t('references', { count: 1 }));
    await expect(row('Delete commissions')).toContainText(`Menu › Commissions ${t('referenceKinds.navigation')}`);
  };
  await effect();
  await page.reload();
  await effect();
  // Consequences first, then the two answers, named for what they do. Unpublishing is one line, with nothing struck out.
  const buttons = row('Delete commissions').getByRole('button');
  await expect(buttons.nth(-2)).toHaveText('Keep it');
  await expect(buttons.last()).toHaveText('Delete page');
  await expect(row('Unpublish workshops').locator('del, ins')).toHaveCount(0);
  // The reason is for the model and for the author.
  await row('Delete commissions')
    .getByRole('button', { name: t('addReason') })
    .click();
  await page.keyboard.type('It is still linked.');
  await buttons.nth(-2).click();
  await expect(desk.approval).toContainText(t('title', { count: 1 }));
  await expect(row('Unpublish workshops').getByRole('button', { name: 'Keep it online' })).toBeFocused();
  await row('Unpublish workshops').getByRole('button', { name: 'Unpublish', exact: true }).click();

  await desk.untilIdle();
  await expect(desk.approval).toHaveCount(0);
  await expect(desk.tool('Delete commissions')).toContainText(
    tTools('deniedNote', { hasReason: 'true', reason: 'It is still linked.' }),
  );
  await expect(desk.tool(/^Unpublished/)).toHaveCount(1);
  await expect(desk.answers).toHaveCount(1);
  expect(await status('commissions')).toBe(200);
  expect(await status('workshops')).toBe(410);
});
