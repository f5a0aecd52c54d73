import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { sayByApi } from '#tests/e2e/support/other-hands';
import { type ScriptedServer, thinkAndSummarize } from '#tests/e2e/support/scripted-model';
import { isSummaryRequest } from '#tests/support/summary-requests';

const tAdmin = translator('admin');
const t = translator('strategies');

/** Looks at stock, as a model would have: each output is about 600 tokens. */
function stockTaking(rounds: number) {
  return Array.from({ length: rounds }, (_, index) => {
    const id = `call_${String(index)}`;
    return [
      { role: 'user', content: `What is on shelf ${String(index + 1)}?` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'read_stock', arguments: '{"shelf":1}' } }],
      },
      {
        role: 'tool',
        tool_call_id: id,
        content: `Shelf: ${'bowls, jugs and plates in celadon and tenmoku. '.repeat(50)}`,
      },
      { role: 'assistant', content: 'Bowls, jugs and plates.' },
    ];
  }).flat();
}

/** A session with two turns after a long history of tool outputs, which are pruned early. */
async function makeSession({ server }: ScriptedServer): Promise<string> {
  const api = createApiClient({ baseUrl: server.url });
  await api.saveSettings({ maxContextTokens: 16_000, pruneProtect: 700, pruneMinimum: 300 });
  const { id } = await api.createSession({ title: 'Gift vouchers' });
  for (const text of ['Create a page called Gift vouchers', 'Always use British spelling.'])
    await sayByApi(api, id, text);
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: stockTaking(4) } });
  return id;
}

const actions = (page: Page) => page.getByRole('group', { name: tAdmin('actions.label') });
const rounds = (page: Page) => page.getByRole('list', { name: tAdmin('rounds.list') }).locator('> li');
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The first number of a text. */
async function figure(locator: Locator): Promise<number> {
  return Number(/[\d,]+/.exec((await locator.textContent()) ?? '')?.[0].replaceAll(',', ''));
}

test('a session page shows what fills the context, and prunes, compacts and undoes', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(thinkAndSummarize);
  const id = await makeSession(scripted);
  await page.goto(`${scripted.server.url}/admin/sessions/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Gift vouchers' })).toBeVisible();
  const chart = section(page, tAdmin('chart.title'));
  await expect(chart).toContainText(/\d+ measurements, from .*Last measured: [\d,]+ of 12,000 usable tokens/);
  await expect(chart.locator('.recharts-area')).not.toHaveCount(0);

  // The next request adds up, and is searched.
  const request = section(page, tAdmin('request.title'));
  const pieces = request.getByRole('listitem');
  const shownTotal = () => figure(request.getByText(/tokens in all/));
  const total = await shownTotal();
  const parts = await Promise.all((await pieces.all()).map((piece) => figure(piece.getByText(/^[\d,]+ tokens$/))));
  expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
  await request.getByRole('searchbox').fill('SHELF 4');
  await expect(pieces).toHaveCount(1);
  await pieces.getByRole('button').click();
  await expect(pieces.getByText('What is on shelf 4?').last()).toBeVisible();
  await request.getByRole('searchbox').fill('');

  // A prune appears in the rounds and in the request, and is undone with the keyboard.
  await actions(page)
    .getByRole('button', { name: tAdmin('actions.prune'), exact: true })
    .press('Enter');
  await expect(rounds(page)).toHaveCount(1);
  await expect(rounds(page).first()).toContainText(/Prune.*Active.*Started manually/s);
  await expect(request.getByText(tAdmin('request.cleared')).first()).toBeVisible();
  await expect.poll(shownTotal).toBeLessThan(total);
  await actions(page)
    .getByRole('button', { name: tAdmin('actions.undo', { what: 'Prune' }) })
    .press('Enter');
  await expect(rounds(page).first()).toContainText(tAdmin('statuses.undone'));
  await expect(actions(page).getByRole('button', { name: tAdmin('actions.undoNone'), exact: true })).toBeFocused();
  await expect.poll(shownTotal).toBe(total);

  // A compaction with a strategy and instructions.
  await actions(page)
    .getByRole('button', { name: tAdmin('actions.compact') })
    .click();
  const dialog = page.getByRole('dialog', { name: tAdmin('compactDialog.title') });
  await dialog.getByText(t('proactive-threshold.name'), { exact: true }).click();
  await dialog.getByLabel(tAdmin('compactDialog.instructions')).fill('Keep every shelf.');
  await dialog.getByRole('button', { name: tAdmin('compactDialog.start') }).click();
  const round = rounds(page).first();
  await expect(rounds(page)).toHaveCount(2);
  await expect(round).toContainText(/Round 1.*Active.*Started manually · Early summary.*% less/s);
  const asked = scripted.provider.requests.filter(isSummaryRequest);
  expect(JSON.stringify(asked.at(-1)?.messages)).toContain('Keep every shelf.');
  await chart.getByRole('link', { name: /^Round 1/ }).click();
  await expect(round.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await expect(round).toContainText(/Ledger.*page "Gift vouchers"/s);
  await expect(pieces.filter({ hasText: tAdmin('request.summary') }).first()).toBeVisible();
  await expect.poll(shownTotal).toBeLessThan(total);

  await round.getByRole('button', { name: tAdmin('rounds.undoLabel', { what: 'Round 1' }) }).click();
  await expect(round).toContainText(tAdmin('statuses.undone'));
  await expect.poll(shownTotal).toBe(total);
});
