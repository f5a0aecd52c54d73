import { translator } from '#components/i18n.ts';
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, diary, type startScriptedServer, SUMMARY, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, stillBox } from '#tests/e2e/support/waits';
import { isSummaryRequest } from '#tests/support/summary-requests';

const t = translator('composer');
const tCompaction = translator('compaction');
const tContext = translator('context');
const tShared = translator('shared');

const context = z.object({ percentUsed: z.number(), compactionCount: z.number() });
const DIVIDER = tCompaction('done');
const COMPACTED = tCompaction('compacted');

const dividerOf = ({ transcript }: Workspace) => transcript.getByRole('note').getByRole('button', { name: DIVIDER });
const runningIn = ({ page }: Workspace) => page.getByText(tCompaction('running'));
const toastIn = ({ page }: Workspace, text: string | RegExp) =>
  page.locator('[data-sonner-toast]').filter({ hasText: text });

/** A server whose summaries wait for the gate, with a diary that nearly fills the window. */
async function startDiary({ page, startScripted }: { page: Page; startScripted: typeof startScriptedServer }) {
  const summarizer = createGate();
  const scripted = await startScripted(
    async (request, index) => {
      if (!isSummaryRequest(request)) return think(request, index);
      await summarizer.opened;
      return { text: SUMMARY };
    },
    { CONTEXT_WINDOW: '16000' },
  );
  const { url } = scripted.server;
  const created = await page.request.post(`${url}/api/sessions`, { data: { title: 'Studio diary' } });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  await page.request.post(`${url}/api/sessions/${id}/import`, { data: { messages: diary(36) } });
  const readContext = async () =>
    context.parse(await (await page.request.get(`${url}/api/sessions/${id}/context`)).json());
  return { url, id, address: `${url}/c/${id}`, summarizer, scripted, readContext };
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
  const { address, summarizer, readContext } = await startDiary({ page, startScripted });
  const before = await readContext();
  expect(before.percentUsed).toBeGreaterThan(80);
  expect(before.percentUsed).toBeLessThan(100);

  await page.goto(address);
  await expect.poll(() => desk.contextPercent()).toBe(Math.round(before.percentUsed));
  await desk.send(`List the pages. ${'This note is long. '.repeat(600)}`);
  await expect(page.getByText(tCompaction('running'))).toBeVisible();
  await expect(page.getByRole('button', { name: t('queue') })).toBeVisible();
  // It takes room from the transcript, not from its newest line.
  const below = () =>
    desk.transcript.evaluate(({ parentElement: pane }) =>
      Math.round(pane!.scrollHeight - pane!.clientHeight - pane!.scrollTop),
    );
  await expect.poll(below).toBeLessThan(2);
  summarizer.open();
  // Side by side: a toast does not stay until the turn has ended.
  await desk.untilIdle();

  const line = dividerOf(desk);
  await expect(line).toHaveText('Older messages summarized. Nothing deleted.');
  await expect.poll(below).toBeLessThan(2);
  await expect(page.getByText(tCompaction('running'))).toHaveCount(0);
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  const after = await readContext();
  expect(after.compactionCount).toBe(1);
  expect(after.percentUsed).toBeLessThan(before.percentUsed - 20);
  await expect.poll(async () => (await desk.contextPercent()) - Math.round((await readContext()).percentUsed)).toBe(0);
  // The gauge opens by a press, not by a pointer that passes, and covers nothing.
  const gauge = page.getByRole('dialog', { name: tContext('title') });
  await page.getByRole('button', { name: /^Memory: / }).hover();
  await expect(gauge).toHaveCount(0);
  await page.getByRole('button', { name: /^Memory: / }).click();
  await expect(page.getByText(tContext('rounds', { count: 1 }))).toBeVisible();
  await expect(page.getByRole('button', { name: 'Summarize now' })).toBeEnabled();
  const [opened, field] = [await stillBox(gauge), await stillBox(desk.composer)];
  expect(opened.y + opened.height).toBeLessThanOrEqual(field.y);
  const seen = () => desk.transcript.evaluate(({ parentElement }) => parentElement!.getBoundingClientRect().bottom);
  await expect.poll(seen).toBeLessThanOrEqual(opened.y);
  await expect.poll(below).toBeLessThan(2);

  await escapeFrom(gauge);
  await expect(page.getByRole('button', { name: /^Memory: / })).toBeFocused();
  await expect(await desk.ask('What did I ask first?')).toContainText('Write the studio diary.');

  await page.reload();
  await expect(line).toHaveCount(1);
  await desk.scrollBack(38);
  await expect(desk.requests.first()).toContainText('Day 1: please note what we fired.');
  await expect(desk.transcript.getByText('Noted for day 1:')).toBeVisible();
});

test('a summary is shown from its start, over a reload, until its undo, in every tab', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  const { address, summarizer, readContext } = await startDiary({ page, startScripted });
  const before = await readContext();
  const other = await openOther();
  await page.goto(address);
  await other.page.goto(address);
  await expect.poll(() => other.contextPercent()).toBe(Math.round(before.percentUsed));

  await compactByHand(desk);
  for (const tab of [desk, other]) {
    await expect(runningIn(tab)).toBeVisible();
    await expect(tab.page.getByRole('button', { name: tCompaction('cancelLabel') })).toBeVisible();
  }
  const elapsed = page.getByText(/^\d+ s$/);
  const seconds = async () => Number.parseInt((await elapsed.textContent()) ?? '', 10);
  await expect.poll(seconds).toBeGreaterThan(2);
  await page.reload();
  await expect(runningIn(desk)).toBeVisible();
  // The server knows the start: the time does not restart.
  expect(await seconds()).toBeGreaterThan(2);

  // It is announced once: by its line, and by a toast to readers of other parts.
  await other.scrollBack(36);
  summarizer.open();
  await expect(toastIn(other, COMPACTED)).toHaveCount(1);
  // Under the pointer it stays.
  await toastIn(other, COMPACTED).hover();
  await expect(toastIn(desk, COMPACTED)).toHaveCount(0);
  for (const tab of [desk, other]) {
    await expect(dividerOf(tab)).toHaveCount(1);
    await expect(runningIn(tab)).toHaveCount(0);
  }
  await toastIn(other, COMPACTED)
    .getByRole('button', { name: tCompaction('whatWasKept') })
    .click();
  const dialog = other.page.getByRole('dialog', { name: tCompaction('detailsTitle') });
  await expect(dialog).toContainText('Day 1: please note what we fired.');
  // It begins with the summary; the figures are below, folded.
  await expect(dialog.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await dialog.getByText(tCompaction('figuresTitle'), { exact: true }).click();
  await expect(dialog.getByText('by anthropic/claude-sonnet-4.5')).toBeVisible();
  await expect(dialog).toContainText('Thirty entries were written down.');
  await dialog.getByRole('button', { name: tShared('common.close') }).click();

  // A notice that was shown is not shown again.
  await page.reload();
  await expect(dividerOf(desk)).toHaveCount(1);
  await expect.poll(async () => (await desk.contextPercent()) - Math.round((await readContext()).percentUsed)).toBe(0);
  await expect(toastIn(desk, COMPACTED)).toHaveCount(0);
  await expect(dividerOf(desk)).toHaveAttribute('aria-expanded', 'false');
  await dividerOf(desk).press('Enter');
  await expect(dividerOf(desk)).toHaveAttribute('aria-expanded', 'true');
  // It is read from its beginning, also by who was at the end of the transcript.
  await expect(desk.transcript.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
  await expect(dividerOf(desk)).toBeInViewport();
  await desk.transcript.getByRole('button', { name: tCompaction('undo') }).click();
  await Promise.all([desk, other].map((tab) => expect(toastIn(tab, tCompaction('undone'))).toHaveCount(1)));
  for (const tab of [desk, other]) {
    await expect(dividerOf(tab)).toHaveCount(0);
    await expect.poll(() => tab.contextPercent()).toBe(Math.round(before.percentUsed));
  }
  await page.reload();
  await expect(desk.requests.last()).toContainText('Day 36');
  await expect(dividerOf(desk)).toHaveCount(0);
});

test('a summary can be cancelled from another tab', async ({ page, openOther, startScripted }) => {
  // Without the fixture `desk`: the cancelled request gets 409, which Chromium writes to the console.
  const desk = new Workspace(page);
  const { address, readContext } = await startDiary({ page, startScripted });
  const other = await openOther();
  await page.goto(address);
  await other.page.goto(address);
  for (const tab of [desk, other]) await expect(tab.requests.last()).toContainText('Day 36');

  await compactByHand(desk);
  await other.page.getByRole('button', { name: tCompaction('cancelLabel') }).click();
  // In parallel: a toast closes before the other tab would be checked.
  const isShown = (tab: Workspace) => expect(toastIn(tab, tCompaction('cancelled'))).toHaveCount(1);
  await Promise.all([desk, other].map(isShown));
  for (const tab of [desk, other]) await expect(runningIn(tab)).toHaveCount(0);
  expect((await readContext()).compactionCount).toBe(0);
  await expect(dividerOf(desk)).toHaveCount(0);
});
