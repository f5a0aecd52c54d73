import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const tMessageAction = translator('messageAction');
const tTranscript = translator('transcript');
const t = translator('composer');

const WORDS = Array.from({ length: 6_000 }, (_, index) => `word${index + 1} `);

/** Talks for ten minutes when it is asked for a story, and is brief otherwise. */
const tellStories = (request: ParsedRequest) =>
  newestRequest(request).includes('story') ? { chunks: WORDS, chunkDelayMs: 100 } : { text: 'Briefly: yes.' };

test('an answer is stopped by its button or Escape, and the next message works immediately', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(tellStories);
  await page.goto(scripted.server.url);
  await expect(desk.stopButton).toHaveCount(0);
  await desk.send('Tell me a story');
  await expect(desk.answers.last()).toContainText('word5 ');
  await desk.stopButton.click();

  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await expect(desk.stopButton).toHaveCount(0);
  await expect(desk.composer).toBeFocused();
  await expect.poll(() => scripted.provider.requests[0]?.state).toBe('client-closed');
  await expect(desk.answers.last().getByRole('button', { name: tMessageAction('retry') })).toBeVisible();
  const kept = await desk.answers.last().innerText();

  await expect(await desk.ask('Are you there?')).toContainText('Briefly: yes.');
  await page.reload();
  await expect(desk.answers.first()).toHaveText(kept.replaceAll(/\s+/g, ' ').trim(), { useInnerText: true });
  await expect(desk.answers.first()).toContainText(tTranscript('stopped'));
  await expect(desk.answers).toHaveCount(2);

  // Escape stops too, also after a reload, which shows the stop button again.
  await desk.send('Tell me another story');
  await expect(desk.answers).toHaveCount(3);
  await expect(desk.answers.last()).toContainText('word3 ');
  await page.reload();
  await expect(desk.stopButton).toBeVisible();
  await expect(desk.composer).toHaveAttribute('placeholder', t('placeholderBusy'));
  await desk.composer.press('Escape');
  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await desk.untilIdle();
  expect(scripted.provider.requests).toHaveLength(3);
});
