import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, diary, SUMMARY, think } from '#tests/e2e/support/scripted-model';
import type { ScriptedPool } from '#tests/e2e/support/scripted-pool';
import { escapeFrom } from '#tests/e2e/support/waits';
import { isSummaryRequest } from '#tests/support/summary-requests';

const t = translator('composer');
const tCompaction = translator('compaction');
const tContext = translator('context');
const tShared = translator('shared');

const DIVIDER = tCompaction('done');
const COMPACTED = tCompaction('compacted');

const dividerOf = ({ transcript }: Workspace) => transcript.getByRole('note').getByRole('button', { name: DIVIDER });
const runningIn = ({ page }: Workspace) => page.getByText(tCompaction('running'));
const toastIn = ({ page }: Workspace, text: string | RegExp) =>
  page.locator('[data-sonner-toast]').filter({ hasText: text });

/** A server whose summaries wait for the gate, with a diary that nearly fills the window. */
async function startDiary(startScripted: ScriptedPool['lease']) {
  const summarizer = createGate();
  const { server } = await startScripted(async (request, index) => {
    if (!isSummaryRequest(request)) return think(request, index);
    await summarizer.opened;
    return { text: SUMMARY };
  });
  const { url } = server;
  const api = createApiClient({ baseUrl: url });
  await api.saveSettings({ maxContextTokens: 16_000 });
  const { id } = await api.createSession({ title: 'Studio diary' });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: diary(36) } });
  const readContext = () => api.get(paths.context(id));
  return { address: `${url}/c/${id}`, summarizer, readContext };
}

async function compactByHand({ page }: Workspace): Promise<void> {
  await page.getByRole('button', { name: /^Memory: / }).click();
  await page.getByRole('button', { name: tContext('compact') }).click();
  await page.keyboard.press('Escape');
}

test('when the window is full the conversation is summarized, in sight, and stays readable', async ({
  desk,
  page,
  startScripted,
}) => {
  const { address, summarizer, readContext } = await startDiary(startScripted);
  const before = await readContext();
  expect(before.percentUsed).toBeGreaterThan(80);
  expect(before.percentUsed).toBeLessThan(100);

  await page.goto(address);
  await expect.poll(() => desk.contextPercent()).toBe(Math.round(before.percentUsed));
  await desk.send(`List the pages. ${'This note is long. '.repeat(600)}`);
  await expect(runningIn(desk)).toBeVisible();
  await expect(page.getByRole('button', { name: t('queue') })).toBeVisible();
  summarizer.open();
  await desk.untilIdle();

  const line = dividerOf(desk);
  await expect(line).toHaveText('Older messages summarized. Nothing deleted.');
  await expect(runningIn(desk)).toHaveCount(0);
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  const after = await readContext();
  expect(after.compactionCount).toBe(1);
  expect(after.percentUsed).toBeLessThan(before.percentUsed - 20);
  await expect.poll(() => desk.contextPercent()).toBe(Math.round(after.percentUsed));
  await page.getByRole('button', { name: /^Memory: / }).click();
  const gauge = page.getByRole('dialog', { name: tContext('title') });
  await expect(gauge.getByText(tContext('rounds', { count: 1 }))).toBeVisible();
  await expect(gauge.getByRole('button', { name: 'Summarize now' })).toBeEnabled();
  await escapeFrom(gauge);
  await expect(await desk.ask('What did I ask first?')).toContainText('Write the studio diary.');

  await page.reload();
  await expect(line).toHaveCount(1);
  await desk.scrollBack(38);
  await expect(desk.requests.first()).toContainText('Day 1: please note what we fired.');
  await expect(desk.transcript.getByText('Noted for day 1:')).toBeVisible();
});

test('a summary is cancelled, made, shown over a reload, and undone, in every tab', async ({
  page,
  openOther,
  startScripted,
}) => {
  // Without the fixture `desk`: the cancelled request gets 409, which Chromium writes to the console.
  const desk = new Workspace(page);
  const { address, summarizer, readContext } = await startDiary(startScripted);
  const before = await readContext();
  const other = await openOther();
  const tabs = [desk, other];
  for (const tab of tabs) {
    await tab.page.goto(address);
    await expect.poll(() => tab.contextPercent()).toBe(Math.round(before.percentUsed));
  }
  await compactByHand(desk);
  await expect(runningIn(desk)).toBeVisible();
  await other.page.getByRole('button', { name: tCompaction('cancelLabel') }).click();
  // In parallel: a toast closes before the other tab would be checked.
  await Promise.all(tabs.map((tab) => expect(toastIn(tab, tCompaction('cancelled'))).toHaveCount(1)));
  for (const tab of tabs) await expect(runningIn(tab)).toHaveCount(0);
  expect((await readContext()).compactionCount).toBe(0);

  await compactByHand(desk);
  for (const tab of tabs) await expect(runningIn(tab)).toBeVisible();
  await page.reload();
  await expect(runningIn(desk)).toBeVisible();
  // It is announced once: by its line, and by a toast to readers of other parts.
  await other.scrollBack(36);
  summarizer.open();
  await expect(toastIn(other, COMPACTED)).toHaveCount(1);
  // Under the pointer it stays.
  await toastIn(other, COMPACTED).hover();
  await expect(toastIn(desk, COMPACTED)).toHaveCount(0);
  for (const tab of tabs) {
    await expect(dividerOf(tab)).toHaveCount(1);
    await expect(runningIn(tab)).toHaveCount(0);
  }
  await toastIn(other, COMPACTED)
    .getByRole('button', { name: tCompaction('whatWasKept') })
    .click();
  const dialog = other.page.getByRole('dialog', { name: tCompaction('detailsTitle') });
  await expect(dialog.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await dialog.getByText(tCompaction('figuresTitle'), { exact: true }).click();
  await expect(dialog.getByText('by anthropic/claude-sonnet-4.5')).toBeVisible();
  await dialog.getByRole('button', { name: tShared('common.close') }).click();

  // A notice that was shown is not shown again.
  await page.reload();
  await expect(dividerOf(desk)).toHaveCount(1);
  await expect(toastIn(desk, COMPACTED)).toHaveCount(0);
  await dividerOf(desk).press('Enter');
  // It is read from its beginning, also by who was at the end of the transcript.
  await expect(desk.transcript.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await expect(dividerOf(desk)).toBeInViewport();
  await desk.transcript.getByRole('button', { name: tCompaction('undo') }).click();
  await Promise.all(tabs.map((tab) => expect(toastIn(tab, tCompaction('undone'))).toHaveCount(1)));
  for (const tab of tabs) {
    await expect(dividerOf(tab)).toHaveCount(0);
    await expect.poll(() => tab.contextPercent()).toBe(Math.round(before.percentUsed));
  }
});
