import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';

const tMessageAction = translator('messageAction');
const t = translator('composer');

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index + 1} `);

test('a reload during an answer continues it without repetition', async ({ desk, page, startScripted }) => {
  const secondStep = createGate();
  const scripted = await startScripted(async (request) => {
    if (!request.messages.some((message) => message.role === 'tool')) {
      const call = { id: 'call_1', name: 'list_content', input: { type: 'page' } };
      return { text: 'Let me look at the pages first.', toolCalls: [call] };
    }
    await secondStep.opened;
    return { chunks: WORDS, chunkDelayMs: 40 };
  });
  await page.goto(scripted.server.url);
  await desk.send('Tell me about the pages');
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();

  await page.reload();
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  await expect(page.getByRole('button', { name: t('queue') })).toBeVisible();
  secondStep.open();
  await expect(desk.answers.last()).toContainText('word5 ');

  await page.reload();
  await expect(desk.answers.getByText(WORDS.join('').trim(), { exact: true })).toHaveCount(1);
  await desk.untilIdle();
  await expect(desk.requests).toHaveText([/Tell me about the pages/]);
  await expect(desk.answers).toHaveCount(1);
  await expect(desk.answers.getByText('Let me look at the pages first.')).toHaveCount(1);
  await expect(desk.tool(/^Listed \d+ pages$/)).toHaveCount(1);
  await expect(desk.answers.getByRole('button', { name: tMessageAction('retry') })).toBeVisible();
  // Its time is that of its turn while it streams, then that of its first stored step, which may be in the next minute.
  const shown = async () => (await desk.transcript.innerText()).replaceAll(/\b\d\d:\d\d\b/g, '(a time)');
  const transcript = await shown();
  expect(transcript).toContain('(a time)');

  await page.reload();
  await expect.poll(shown).toBe(transcript);
  expect(scripted.provider.requests).toHaveLength(2);
});
