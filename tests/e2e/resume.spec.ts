import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';

const tMessageAction = translator('messageAction');
const tTranscript = translator('transcript');

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index + 1} `);

test('an answer continues after a reload without repetition, is stopped, and keeps its text', async ({
  desk,
  page,
  startScripted,
}) => {
  const secondStep = createGate();
  const { server, provider } = await startScripted(async (request) => {
    if (newestRequest(request).includes('brief')) return { reasoning: 'Hm.', text: '' };
    if (newestRequest(request).includes('story')) return { chunks: words(6_000), chunkDelayMs: 100 };
    if (!request.messages.some((message) => message.role === 'tool')) {
      const call = { id: 'call_1', name: 'list_content', input: { type: 'page' } };
      return { text: 'Let me look at the pages first.', toolCalls: [call] };
    }
    await secondStep.opened;
    return { chunks: words(60), chunkDelayMs: 40 };
  });
  await page.goto(server.url);
  await desk.send('Tell me about the pages');
  const listed = desk.tool(/^Listed \d+ pages$/);
  await expect(listed).toBeVisible();
  await page.reload();
  await expect(listed).toBeVisible();
  await expect(desk.stopButton).toBeVisible();
  secondStep.open();
  await expect(desk.answers.last()).toContainText('word5 ');
  await page.reload();
  await expect(desk.answers.getByText(words(60).join('').trim(), { exact: true })).toHaveCount(1);
  await desk.untilIdle();
  await expect(desk.requests).toHaveText([/Tell me about the pages/]);
  await expect(desk.answers).toHaveCount(1);
  await expect(desk.answers.getByText('Let me look at the pages first.')).toHaveCount(1);
  await expect(listed).toHaveCount(1);
  // Its time is that of its turn while it streams, then that of its first stored step, which may be in the next minute.
  const shown = async () => (await desk.transcript.innerText()).replaceAll(/\b\d\d:\d\d\b/g, '(a time)');
  const transcript = await shown();
  await page.reload();
  await expect.poll(shown).toBe(transcript);
  expect(provider.requests).toHaveLength(2);

  // Its button stops an answer, and Escape one that was reloaded.
  await desk.send('Tell me a story');
  await expect(desk.answers).toHaveCount(2);
  await expect(desk.answers.last()).toContainText('word5 ');
  await desk.stopButton.click();
  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await expect(desk.stopButton).toHaveCount(0);
  await expect(desk.composer).toBeFocused();
  await expect.poll(() => provider.requests[2]?.state).toBe('client-closed');
  const kept = (await desk.answers.last().innerText()).replaceAll(/\s+/g, ' ').trim();
  await desk.send('Tell me another story');
  await expect(desk.answers).toHaveCount(3);
  await expect(desk.answers.last()).toContainText('word3 ');
  await page.reload();
  await expect(desk.stopButton).toBeVisible();
  await desk.composer.press('Escape');
  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await desk.untilIdle();
  await expect(desk.answers.nth(1)).toHaveText(kept, { useInnerText: true });
  await expect(desk.answers.last().getByRole('button', { name: tMessageAction('retry') })).toBeVisible();

  // An answer without words is marked, after a reload too.
  await desk.send('Be brief');
  await expect(page.getByText(/only thought/)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/only thought/)).toBeVisible();
});
