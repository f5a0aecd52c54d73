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

/** A session with two turns after a long history of tool outputs. */
async function makeSession({ server }: ScriptedServer): Promise<string> {
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'Gift vouchers' });
  for (const text of ['Create a page called Gift vouchers', 'Always use British spelling.'])
    await sayByApi(api, id, text);
  await fetch(`${server.url}/api/sessions/${id}/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: stockTaking(4) }),
  });
  return id;
}

const PRUNE_EARLY = { CONTEXT_WINDOW: '16000', CONTEXT_PRUNE_PROTECT: '700', CONTEXT_PRUNE_MINIMUM: '300' };

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
  const scripted = await startScripted(thinkAndSummarize, PRUNE_EARLY);
  const id = await makeSession(scripted);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${scripted.server.url}/admin/sessions/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Gift vouchers' })).toBeVisible();

  // The chart, in words, as a picture and as a table.
  const chart = section(page, tAdmin('chart.title'));
  await expect(chart).toContainText(/\d+ measurements, from .*Last measured: [\d,]+ of 12,000 usable tokens/);
  await expect(chart.locator('.recharts-area')).not.toHaveCount(0);
  await chart.getByRole('radio', { name: tAdmin('chart.asTable') }).click();
  await expect(chart.getByRole('row')).not.toHaveCount(1);
  await chart.getByRole('radio', { name: tAdmin('chart.asChart') }).click();

  // The next request adds up.
  const request = section(page, tAdmin('request.title'));
  const pieces = request.getByRole('listitem');
  const total = await figure(request.getByText(/tokens in all/));
  const parts = await Promise.all((await pieces.all()).map((piece) => figure(piece.getByText(/^[\d,]+ tokens$/))));
  expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
  await request.getByRole('searchbox').fill('SHELF 4');
  await expect(pieces).toHaveCount(1);
  await pieces.getByRole('button').click();
  await expect(pieces.getByText('What is on shelf 4?').last()).toBeVisible();
  await request.getByRole('searchbox').fill('');
  await request.getByRole('button', { name: tAdmin('request.copy') }).click();
  await expect(page.getByText(tAdmin('request.copied'))).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('What is on shelf 4?');

  // A prune appears in the rounds, the request and the chart, and is undone.
  const prune = actions(page).getByRole('button', { name: tAdmin('actions.prune'), exact: true });
  await prune.press('Enter');
  await expect(page.getByText(/old outputs cleared, [\d,]+ tokens freed/)).toBeVisible();
  await expect(prune).toBeFocused();
  await expect(rounds(page)).toHaveCount(1);
  await expect(rounds(page).first()).toContainText(/Prune.*Active.*Started manually/s);
  await rounds(page)
    .first()
    .getByRole('button', { name: tAdmin('rounds.prune') })
    .click();
  await expect(rounds(page).first()).toContainText(/read_stock: [\d,]+ tokens/);
  await expect(request.getByText(tAdmin('request.cleared')).first()).toBeVisible();
  expect(await figure(request.getByText(/tokens in all/))).toBeLessThan(total);
  await actions(page)
    .getByRole('button', { name: tAdmin('actions.undo', { what: 'Prune' }) })
    .press('Enter');
  await expect(rounds(page).first()).toContainText(tAdmin('statuses.undone'));
  await expect(actions(page).getByRole('button', { name: tAdmin('actions.undoNone'), exact: true })).toBeFocused();
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBe(total);

  // A compaction with a strategy and instructions.
  await actions(page)
    .getByRole('button', { name: tAdmin('actions.compact') })
    .click();
  const dialog = page.getByRole('dialog', { name: tAdmin('compactDialog.title') });
  await dialog.getByText(t('ledger.name'), { exact: true }).click();
  await expect(dialog.getByText(tAdmin('compactDialog.noWriter'))).toBeVisible();
  await dialog.getByText(t('proactive-threshold.name'), { exact: true }).click();
  await dialog.getByLabel(tAdmin('compactDialog.instructions')).fill('Keep every shelf.');
  await expect(dialog.getByRole('button', { name: tAdmin('compactDialog.start') })).toBeInViewport({ ratio: 1 });
  await dialog.getByRole('button', { name: tAdmin('compactDialog.start') }).click();
  await expect(page.getByText(/^Context compacted: [\d,]+ → [\d,]+ tokens$/)).toBeVisible();
  await expect(actions(page).getByRole('button', { name: tAdmin('actions.compact') })).toBeFocused();
  const asked = scripted.provider.requests.filter(isSummaryRequest);
  expect(JSON.stringify(asked.at(-1)?.messages)).toContain('Keep every shelf.');

  const round = rounds(page).first();
  await expect(rounds(page)).toHaveCount(2);
  await expect(round).toContainText(/Round 1.*Active.*Started manually · Early summary.*% less/s);
  await chart.getByRole('link', { name: /^Round 1/ }).click();
  await expect(round.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await expect(round).toContainText(/Ledger.*page "Gift vouchers"/s);
  await expect(round).toContainText(/The user’s words.*Create a page called Gift vouchers/s);
  await expect(
    request
      .getByRole('listitem')
      .filter({ hasText: tAdmin('request.summary') })
      .first(),
  ).toBeVisible();
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBeLessThan(total);

  await round.getByRole('button', { name: tAdmin('rounds.undoLabel', { what: 'Round 1' }) }).click();
  await expect(round).toContainText(tAdmin('statuses.undone'));
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBe(total);
});
