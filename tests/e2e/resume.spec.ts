import { expect, test } from '#tests/e2e/support/desk-test';
import { startScriptedServer } from '#tests/e2e/support/scripted-model';

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index + 1} `);

test('a reload in the middle of an answer goes on with it and repeats nothing', async ({ desk, page }) => {
  await using scripted = await startScriptedServer((request) => {
    if (request.messages.some((message) => message.role === 'tool')) return { chunks: WORDS, chunkDelayMs: 60 };
    return {
      text: 'Let me look at the pages first.',
      toolCalls: [{ id: 'call_1', name: 'list_content', input: { type: 'page' } }],
    };
  });
  await page.goto(scripted.server.url);
  await desk.send('Tell me about the pages');
  await expect(desk.answers.last()).toContainText('word5 ');

  await page.reload();
  await expect(desk.answers.last()).toContainText('word10 ');
  await expect(desk.answers.last()).not.toContainText('word60');
  await desk.untilIdle();

  const check = async () => {
    await expect(desk.requests).toHaveText([/Tell me about the pages/]);
    await expect(desk.answers).toHaveCount(1);
    await expect(desk.answers.getByText('Let me look at the pages first.')).toHaveCount(1);
    await expect(desk.tool(/^Listed \d+ pages$/)).toHaveCount(1);
    await expect(desk.answers.getByText(WORDS.join('').trim(), { exact: true })).toHaveCount(1);
  };
  await check();
  await page.reload();
  await check();
  expect(scripted.provider.requests).toHaveLength(2);
});
