import { translator } from '#components/i18n.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, think } from '#tests/e2e/support/scripted-model';
import { untilStill } from '#tests/e2e/support/waits';

const t = translator('transcript');
const tChanges = translator('changes');
const tPreview = translator('preview');
const tTools = translator('tools');

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const LONG = Array.from({ length: 60 }, (_, at) => `Line ${at} of a long answer.`).join('\n\n');
const TABLE = `Prices:\n\n| Thing | Price |\n| --- | --- |\n| Mug | 42 |\n| Bowl | 60 |\n\nThat is all.`;

/** Distance of the transcript's end from the lower edge of what is seen of it; pixels. */
const below = ({ transcript }: Workspace) =>
  transcript.evaluate((log) => {
    const { scrollHeight, clientHeight, scrollTop } = log.parentElement!;
    return Math.round(scrollHeight - clientHeight - scrollTop);
  });

/** Where the paragraphs and tables of the newest answer begin on the screen; pixels. */
const placesInAnswer = ({ answers }: Workspace) =>
  answers
    .last()
    .evaluate((answer) =>
      [...answer.querySelectorAll('.manuscript :is(p, table)')].map((each) =>
        Math.round(each.getBoundingClientRect().top),
      ),
    );

test('the transcript stays at its newest line, and a table is one from the beginning', async ({
  desk,
  page,
  startScripted,
}) => {
  const [gate, end] = [createGate(), createGate()];
  const { server } = await startScripted(async (request) => {
    const asked = newestRequest(request);
    if (asked.includes('cost')) return { text: TABLE, chunkDelayMs: 25, endAfter: end.opened };
    if (asked.includes('slowly')) await gate.opened;
    return { text: LONG };
  });
  await page.goto(server.url);
  await desk.ask('Write something long');
  await expect.poll(() => below(desk)).toBeLessThan(2);

  // A row of the queue and a draft of four lines take room from the transcript, not from its newest line.
  await desk.send('Write it slowly');
  await expect(desk.stopButton).toBeVisible();
  await desk.send('And once more');
  await expect(desk.waiting('And once more')).toBeVisible();
  await expect.poll(() => below(desk)).toBeLessThan(2);
  await desk.composer.fill('one\ntwo\nthree\nfour');
  await expect.poll(() => below(desk)).toBeLessThan(2);
  await desk.composer.fill('');
  gate.open();
  await expect(desk.requests).toHaveCount(3);
  await desk.untilIdle();
  await expect.poll(() => below(desk)).toBeLessThan(2);

  // A reader of earlier messages stays there until they send something.
  await desk.transcript.hover();
  await page.mouse.wheel(0, -3000);
  await expect(page.getByRole('button', { name: t('toBottom') })).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const each of document.querySelectorAll('[role=log] .manuscript p')) seen.push(each.textContent ?? '');
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await desk.send('What does it cost?');
  await expect(desk.answers.last().getByRole('cell', { name: '42' })).toBeVisible();
  await expect(desk.answers.last()).toContainText('That is all.');
  await expect(desk.requests.last()).toBeInViewport();
  await expect.poll(() => below(desk)).toBeLessThan(2);

  // Nothing moves when the answer ends, no cell was shown as text before, and it looks the same when it is read again.
  await untilStill(page);
  const before = await placesInAnswer(desk);
  end.open();
  await desk.untilIdle();
  await untilStill(page);
  expect(await placesInAnswer(desk)).toEqual(before);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.filter((text) => text.includes('|'))).toEqual([]);
  const apart = (tops: readonly number[]) => tops.map((top) => top - tops[0]!);
  await page.reload();
  await expect.poll(async () => apart(await placesInAnswer(desk))).toEqual(apart(before));
});

test('the preview is never blank: an unpublished page has a message, without scripts', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const desk = new Workspace(page);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script' && request.frame().parentFrame()) scripts.push(request.url());
  });
  await page.goto(server.url);
  await desk.ask('Create a page called Night firing');
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Night firing');
  await page.getByRole('radio', { name: tPreview('published') }).click();
  await expect(desk.preview.getByRole('heading', { name: siteTexts('en').notFound.heading })).toBeVisible();
  await page.getByRole('button', { name: tPreview('showDraft') }).click();
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Night firing');

  // What is changed while visitors' version is shown is in the draft, one press away.
  await page.getByRole('radio', { name: tPreview('published') }).click();
  await desk.ask('Change the hero heading on Home to "Open late"');
  await expect(page.getByText(tPreview('inDraft'))).toBeVisible();
  await expect(desk.preview.getByRole('heading', { level: 1 })).not.toHaveText('Open late');
  await page.getByRole('button', { name: tPreview('showDraft') }).click();
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Open late');

  // Undone by the button of its card; the card, the answer and the preview show that.
  const card = desk.tool('Created the page Night firing');
  await card.getByRole('button', { name: /^Undo: / }).click();
  await expect(card.getByText(tChanges('undone'), { exact: true })).toBeVisible();
  await expect(desk.answers.first().getByText(tChanges('answerUndone'))).toBeVisible();
  // Nothing of it is left to undo.
  const undoFirst = desk.answers.first().getByRole('button', { name: tChanges('undoTurnAction') });
  await expect(undoFirst).toHaveCount(0);
  await card.getByRole('button', { name: tTools('showLabel', { title: 'Night firing' }) }).click();
  await expect(desk.preview.getByRole('heading', { name: siteTexts('en').notFound.heading })).toBeVisible();
  await desk.chooseOfPage(tPreview('reload'));
  await expect(desk.preview.getByRole('heading', { name: siteTexts('en').notFound.heading })).toBeVisible();
  await card.getByRole('button', { name: /^Redo: / }).click();
  await expect(card.getByText(tChanges('undone'), { exact: true })).toHaveCount(0);
  await expect(undoFirst).toHaveCount(1);

  // The undo names later changes that depend on it, and includes them.
  await desk.ask('Change the title of Night firing to "Night kiln"');
  await desk.ask('Change the title of Night kiln to "The night kiln"');
  await desk.transcript
    .getByRole('button', { name: /^Undo: .*Night kiln/ })
    .first()
    .click();
  const dialog = page.getByRole('alertdialog', { name: tChanges('dialog.conflictTitle') });
  await dialog.getByRole('button', { name: tChanges('dialog.along') }).click();
  await expect(desk.transcript.getByText(tChanges('answerUndone'))).toHaveCount(2);

  await desk.ask('Publish Night firing');
  await desk.approve();
  await expect(page.getByRole('link', { name: tTools('viewLive') })).toHaveAttribute('href', '/site/night-firing');
  expect(scripts).toEqual([]);
});
