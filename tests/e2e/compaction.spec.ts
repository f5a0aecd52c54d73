import { z } from 'zod';
import { strings } from '#lib/strings';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';

const SUMMARY = [
  '### Original Task\nWrite the studio diary.',
  '### What Was Accomplished\nThirty entries were written down.',
  '### Current State\nThe diary is complete so far.',
  '### What Comes Next\nMore entries.',
].join('\n\n');

/** A conversation of `entries` exchanges, each of about 200 tokens, that nearly fills a 16,000 token window. */
function diary(entries: number) {
  return Array.from({ length: entries }, (_, day) => [
    { role: 'user', content: `Day ${day + 1}: please note what we fired.` },
    { role: 'assistant', content: `Noted for day ${day + 1}: ${'bowls, jugs and plates came out well. '.repeat(21)}` },
  ]).flat();
}

const context = z.object({ percentUsed: z.number(), compactionCount: z.number() });

test('when the window is full the conversation is summarized, in sight, and stays readable', async ({
  desk,
  page,
  startScripted,
}) => {
  const summarizer = createGate();
  const scripted = await startScripted(
    async (request, index) => {
      if (!JSON.stringify(request.messages).includes('<transcript>')) return think(request, index);
      await summarizer.opened;
      return { text: SUMMARY };
    },
    { CONTEXT_WINDOW: '16000' },
  );
  const { url } = scripted.server;
  const created = await page.request.post(`${url}/api/sessions`, { data: { title: 'Studio diary' } });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  const history = diary(36);
  await page.request.post(`${url}/api/sessions/${id}/import`, { data: { messages: history } });
  const readContext = async () =>
    context.parse(await (await page.request.get(`${url}/api/sessions/${id}/context`)).json());
  const before = await readContext();
  expect(before.percentUsed).toBeGreaterThan(80);
  expect(before.percentUsed).toBeLessThan(100);

  await page.goto(`${url}/c/${id}`);
  await expect.poll(() => desk.contextPercent()).toBe(Math.round(before.percentUsed));
  await desk.send(`List the pages. ${'This note is long. '.repeat(600)}`);
  await expect(page.getByText(strings.compaction.running)).toBeVisible();
  await expect(page.getByRole('button', { name: strings.composer.queue })).toBeVisible();
  summarizer.open();
  await desk.untilIdle();

  const line = page
    .getByRole('note')
    .filter({ hasText: /^Conversation summarized: [\d,]+ → [\d,]+ tokens, \d+ messages$/ });
  await expect(line).toHaveCount(1);
  await expect(page.getByText(strings.compaction.running)).toHaveCount(0);
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  const after = await readContext();
  expect(after.compactionCount).toBe(1);
  expect(after.percentUsed).toBeLessThan(before.percentUsed - 20);
  await expect.poll(() => desk.contextPercent()).toBe(Math.round(after.percentUsed));
  await page.getByRole('button', { name: /^Context: / }).click();
  await expect(page.getByText(strings.context.rounds(1))).toBeVisible();
  await expect(page.getByRole('button', { name: strings.context.compact })).toBeEnabled();

  await page.keyboard.press('Escape');
  await expect(await desk.ask('What did I ask first?')).toContainText('Write the studio diary.');

  await page.reload();
  await expect(line).toHaveCount(1);
  await page.getByRole('button', { name: strings.transcript.earlier }).click();
  await expect(desk.requests).toHaveCount(38);
  await expect(desk.requests.first()).toContainText('Day 1: please note what we fired.');
  await expect(desk.transcript.getByText('Noted for day 1:')).toBeVisible();
});
