import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { adminStrings } from '#components/admin/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { sayByApi } from '#tests/e2e/support/other-hands';
import {
  asksForSummary,
  createGate,
  newestRequest,
  type ScriptedServer,
  SUMMARY,
  think,
  thinkAndSummarize,
} from '#tests/e2e/support/scripted-model';
import { strategyWords } from '#components/ui/compaction-words.ts';

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

/** A session with two turns, and a long history of tool outputs behind them. */
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

const actions = (page: Page) => page.getByRole('group', { name: adminStrings.actions.label });
const rounds = (page: Page) => page.getByRole('list', { name: adminStrings.rounds.list }).locator('> li');
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The first number of a text. */
async function figure(locator: Locator): Promise<number> {
  return Number(/[\d,]+/.exec((await locator.textContent()) ?? '')?.[0].replaceAll(',', ''));
}

test('the table begins empty and follows a turn in the chat', async ({ desk, page, openOther, startScripted }) => {
  const gate = createGate();
  const { server, provider } = await startScripted(async (request, index) => {
    if (newestRequest(request).includes('slowly')) await gate.opened;
    return think(request, index);
  });
  const listening = createGate();
  await page.route('**/api/admin/events', async (route) => {
    await listening.opened;
    await route.continue();
  });
  await page.goto(`${server.url}/admin`);
  await expect(page.getByText(adminStrings.sessions.empty)).toBeVisible();
  await expect(page.getByText(adminStrings.live.on, { exact: true })).toBeVisible();

  const chat = await openOther();
  await chat.page.goto(server.url);
  await chat.send('List the pages slowly');
  // What happened after the table was read and before its events are followed is in none of them.
  await provider.waitForRequest((request) => newestRequest(request).includes('slowly'));
  listening.open();
  const row = page.getByRole('row').filter({ hasText: 'List the pages slowly' });
  await expect(row).toContainText(adminStrings.states.running);
  await chat.send('And the posts');
  await expect(row.getByRole('cell').nth(4)).toHaveText('1');
  gate.open();
  await chat.untilIdle();
  await expect(row).toContainText(adminStrings.states.idle);
  await expect(row).toContainText(/[\d,]+ \/ [\d,]+/);
  await expect(row.getByRole('cell').nth(4)).toHaveText('0');

  await chat.newChat();
  await chat.ask('Find posts about glaze');
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.getByRole('columnheader', { name: adminStrings.sessions.columns.title }).getByRole('button').click();
  await expect(page.getByRole('columnheader', { name: adminStrings.sessions.columns.title })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  await expect(page.getByRole('rowheader')).toHaveText(['Find posts about glaze', /^List the pages/]);
  await page.getByRole('searchbox', { name: adminStrings.sessions.search }).fill('glaze');
  await expect(page.getByRole('rowheader')).toHaveText(['Find posts about glaze']);
  await page.getByRole('combobox', { name: adminStrings.sessions.filter }).selectOption({ label: 'Failed' });
  await expect(page.getByText(adminStrings.sessions.noMatch)).toBeVisible();
  await page.reload();
  await expect(page.getByText(adminStrings.sessions.noMatch)).toBeVisible();
  await page.getByRole('button', { name: adminStrings.sessions.clear }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(2);
  await page.getByRole('link', { name: 'Find posts about glaze' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Find posts about glaze' })).toBeVisible();
  await page.getByRole('link', { name: adminStrings.session.open }).click();
  await expect(desk.requests).toHaveText([/Find posts about glaze/]);
  await desk.sidebar.getByRole('link', { name: sidebarStrings.admin }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(2);
});

test('what was heard of a filtered table stays until the list is read again', async ({ page, startScripted }) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'Kiln plans' });
  await page.goto(`${server.url}/admin?q=kiln`);
  const titles = page.getByRole('rowheader');
  await expect(titles).toHaveText(['Kiln plans']);
  await expect(page.getByText(adminStrings.live.on, { exact: true })).toBeVisible();
  const rename = async (title: string) => {
    await api.updateSession(id, { title });
    await sayByApi(api, id, 'List the posts');
    await expect(titles).toHaveText([title]);
  };
  const other = await api.createSession({ title: 'Kiln log' });
  await sayByApi(api, other.id, 'List the pages');
  // Once this one is shown, nothing more of the other one is to come.
  await rename('Kiln opening');
  const others = page.getByText(adminStrings.sessions.fresh(1));
  await expect(others).toBeVisible();

  const answer = createGate();
  let isDown = true;
  await page.route('**/api/admin/sessions?*', async (route) => {
    if (isDown) return route.fulfill({ status: 500 });
    await answer.opened;
    return route.continue();
  });
  const failed = page.waitForResponse((response) => response.status() === 500);
  const refresh = page.getByRole('button', { name: adminStrings.sessions.refresh });
  await refresh.click();
  await failed;
  await rename('Kiln closing');
  await expect(others).toBeVisible();
  isDown = false;
  await refresh.click();
  answer.open();
  await expect(titles).toHaveText(['Kiln closing', 'Kiln log']);
  await expect(others).toBeHidden();
});

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
  const chart = section(page, adminStrings.chart.title);
  await expect(chart).toContainText(/\d+ measurements, from .*Last measured: [\d,]+ of 12,000 usable tokens/);
  await expect(chart.locator('.recharts-area')).not.toHaveCount(0);
  await chart.getByRole('radio', { name: adminStrings.chart.asTable }).click();
  await expect(chart.getByRole('row')).not.toHaveCount(1);
  await chart.getByRole('radio', { name: adminStrings.chart.asChart }).click();

  // The next request adds up.
  const request = section(page, adminStrings.request.title);
  const pieces = request.getByRole('listitem');
  const total = await figure(request.getByText(/tokens in all/));
  const parts = await Promise.all((await pieces.all()).map((piece) => figure(piece.getByText(/^[\d,]+ tokens$/))));
  expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
  await request.getByRole('searchbox').fill('SHELF 4');
  await expect(pieces).toHaveCount(1);
  await pieces.getByRole('button').click();
  await expect(pieces.getByText('What is on shelf 4?').last()).toBeVisible();
  await request.getByRole('searchbox').fill('');
  await request.getByRole('button', { name: adminStrings.request.copy }).click();
  await expect(page.getByText(adminStrings.request.copied)).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('What is on shelf 4?');

  // A prune, seen in the rounds, the request and the chart, and taken back.
  const prune = actions(page).getByRole('button', { name: adminStrings.actions.prune, exact: true });
  await prune.press('Enter');
  await expect(page.getByText(/old outputs cleared, [\d,]+ tokens freed/)).toBeVisible();
  await expect(prune).toBeFocused();
  await expect(rounds(page)).toHaveCount(1);
  await expect(rounds(page).first()).toContainText(/Prune.*Active.*Started manually/s);
  await rounds(page).first().getByRole('button', { name: adminStrings.rounds.prune }).click();
  await expect(rounds(page).first()).toContainText(/read_stock: [\d,]+ tokens/);
  await expect(request.getByText(adminStrings.request.cleared).first()).toBeVisible();
  expect(await figure(request.getByText(/tokens in all/))).toBeLessThan(total);
  await actions(page)
    .getByRole('button', { name: adminStrings.actions.undo('Prune') })
    .press('Enter');
  await expect(rounds(page).first()).toContainText(adminStrings.statuses.undone);
  await expect(actions(page).getByRole('button', { name: adminStrings.actions.undoNone, exact: true })).toBeFocused();
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBe(total);

  // A compaction with a strategy and instructions.
  await actions(page).getByRole('button', { name: adminStrings.actions.compact }).click();
  const dialog = page.getByRole('dialog', { name: adminStrings.compactDialog.title });
  await dialog.getByText(strategyWords.ledger.name, { exact: true }).click();
  await expect(dialog.getByText(adminStrings.compactDialog.noWriter)).toBeVisible();
  await dialog.getByText(strategyWords['proactive-threshold'].name, { exact: true }).click();
  await dialog.getByLabel(adminStrings.compactDialog.instructions).fill('Keep every shelf.');
  await expect(dialog.getByRole('button', { name: adminStrings.compactDialog.start })).toBeInViewport({ ratio: 1 });
  await dialog.getByRole('button', { name: adminStrings.compactDialog.start }).click();
  await expect(page.getByText(/^Context compacted: [\d,]+ → [\d,]+ tokens$/)).toBeVisible();
  await expect(actions(page).getByRole('button', { name: adminStrings.actions.compact })).toBeFocused();
  const asked = scripted.provider.requests.filter(asksForSummary);
  expect(JSON.stringify(asked.at(-1)?.messages)).toContain('Keep every shelf.');

  const round = rounds(page).first();
  await expect(rounds(page)).toHaveCount(2);
  await expect(round).toContainText(/Round 1.*Active.*Started manually · Early summary.*% less/s);
  await chart.getByRole('link', { name: /^Round 1/ }).click();
  await expect(round.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await expect(round).toContainText(/Ledger.*page "Gift vouchers"/s);
  await expect(round).toContainText(/The user’s words.*Create a page called Gift vouchers/s);
  await expect(request.getByRole('listitem').filter({ hasText: adminStrings.request.summary }).first()).toBeVisible();
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBeLessThan(total);

  await round.getByRole('button', { name: adminStrings.rounds.undoLabel('Round 1') }).click();
  await expect(round).toContainText(adminStrings.statuses.undone);
  await expect.poll(() => figure(request.getByText(/tokens in all/))).toBe(total);
});

// Without the desk: the browser notes the refused requests of these two on its console.
test('a running compaction can be cancelled, and its attempt says why it failed', async ({ page, startScripted }) => {
  const gate = createGate();
  const scripted = await startScripted(
    async (request, index) => {
      if (!asksForSummary(request)) return think(request, index);
      await gate.opened;
      return { text: SUMMARY };
    },
    { CONTEXT_WINDOW: '16000' },
  );
  const id = await makeSession(scripted);
  await page.goto(`${scripted.server.url}/admin/sessions/${id}`);
  await actions(page).getByRole('button', { name: adminStrings.actions.compact }).click();
  await page.getByRole('dialog').getByRole('button', { name: adminStrings.compactDialog.start }).click();
  await expect(actions(page)).toContainText(adminStrings.actions.compacting);
  await expect(page.getByText(adminStrings.states.compacting, { exact: true })).toBeVisible();
  // Not on the button that ends it.
  await expect(actions(page).locator(':focus')).toContainText(adminStrings.actions.compacting);
  await scripted.provider.waitForRequest((request) => asksForSummary(request));
  await actions(page).getByRole('button', { name: adminStrings.actions.cancel }).click();
  await expect(page.getByText(adminStrings.actions.cancelled)).toHaveCount(1);
  gate.open();
  await expect(rounds(page)).toHaveCount(1);
  await expect(rounds(page).first()).toContainText(/Attempt at round 1.*Failed.*cancelled/s);
  await expect(actions(page).getByRole('button', { name: adminStrings.actions.compact })).toBeEnabled();
});

test('a session that is not there is said to be missing', async ({ page, server }) => {
  await page.goto(`${server.url}/admin/sessions/ses_00000000000000000000000000`);
  await expect(page.getByText(adminStrings.session.missing)).toBeVisible();
  await page.getByRole('link', { name: adminStrings.session.all }).click();
  await expect(page.getByRole('heading', { level: 1, name: adminStrings.sessions.title })).toBeVisible();
});

test('on a phone the table is a list, and nothing is wider than the screen', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(think, PRUNE_EARLY);
  const id = await makeSession(scripted);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${scripted.server.url}/admin`);
  const list = page.getByRole('list', { name: adminStrings.sessions.table });
  await expect(list.getByRole('listitem')).toHaveText([/Gift vouchers.*Idle.*%/s]);
  const isTooWide = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  await expect.poll(isTooWide).toBe(false);
  await list.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/admin/sessions/${id}$`));
  await expect(page.locator('.recharts-area')).not.toHaveCount(0);
  await expect.poll(isTooWide).toBe(false);
});
