import { previewStrings } from '#components/chat/preview/words.ts';
import { changesStrings } from '#components/changes/words.ts';
import { auditStrings } from '#components/admin/words.ts';
import { contextStrings } from '#components/context/words.ts';
import { LIBRARY_CHANGES_PATH } from '#components/workspace/navigation.ts';
import { siteStrings } from '#components/content/text/words.ts';
import { historyStrings } from '#components/history/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import {
  basicAssistantStrings,
  messageActionStrings,
  tabStrings,
  transcriptStrings,
} from '#components/chat/text/words.ts';
import { toolStrings } from '#components/approvals/words.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, requestsOf, untilStill } from '#tests/e2e/support/waits';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const LONG = Array.from({ length: 60 }, (_, at) => `Line ${at} of a long answer.`).join('\n\n');

/** Distance of the transcript's end from the lower edge of what is seen of it; pixels. */
const below = ({ transcript }: Workspace) =>
  transcript.evaluate((log) => {
    const { scrollHeight, clientHeight, scrollTop } = log.parentElement!;
    return Math.round(scrollHeight - clientHeight - scrollTop);
  });

test('the transcript stays at its newest line: while the queue drains, a draft grows, and after sending', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const { server } = await startScripted(async (request) => {
    const asked = newestRequest(request);
    if (asked.includes('slowly')) await gate.opened;
    return { text: asked.includes('thanks') ? 'You are welcome.' : LONG };
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

  // Whoever reads further up stays there, until they send something.
  await desk.transcript.hover();
  await page.mouse.wheel(0, -3000);
  await expect(page.getByRole('button', { name: transcriptStrings.toBottom })).toBeVisible();
  await desk.send('thanks');
  await expect(desk.answers.last()).toContainText('You are welcome.');
  await expect.poll(() => below(desk)).toBeLessThan(2);
  await expect(desk.requests.last()).toBeInViewport();
});

test('an answer that takes the place of another is followed, also where the conversation gets shorter than the screen meanwhile', async ({
  desk,
  page,
  startScripted,
}) => {
  let gate = createGate();
  const { server } = await startScripted(async () => {
    await gate.opened;
    return { text: LONG };
  });
  gate.open();
  await page.goto(server.url);
  await desk.ask('Write something long');
  const { edit, editLabel, retry } = messageActionStrings;
  for (const anew of [
    async () => {
      await desk.requests.last().hover();
      await desk.transcript.getByRole('button', { name: edit, exact: true }).click();
      await desk.transcript.getByRole('textbox', { name: editLabel }).fill('Once more');
      await page.keyboard.press('Enter');
    },
    () => desk.transcript.getByRole('button', { name: retry, exact: true }).click(),
  ]) {
    gate = createGate();
    await anew();
    await expect(desk.stopButton).toBeVisible();
    await expect(desk.answers).toHaveCount(0);
    gate.open();
    await expect(desk.answers.last()).toContainText('Line 59');
    await desk.untilIdle();
    await expect.poll(() => below(desk)).toBeLessThan(2);
  }
});

test('a table appears as a table, and nothing moves when its answer ends', async ({ desk, page, startScripted }) => {
  const table = `Prices:\n\n| Thing | Price |\n| --- | --- |\n| Mug | 42 |\n| Bowl | 60 |\n\nThat is all.`;
  const { server } = await startScripted(() => ({ text: table, chunkDelayMs: 25 }));
  await page.goto(server.url);
  await page.evaluate(() => {
    const seen: string[] = [];
    const shifts: number[] = [];
    const tops: number[] = [];
    interface LayoutShift {
      readonly value: number;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    const log = () => document.querySelector('[role=log]');
    Object.assign(window, { seen, shifts, tops });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & LayoutShift)[]) {
        if (entry.sources.some(({ node }) => log()?.contains(node))) shifts.push(entry.value);
      }
    }).observe({ type: 'layout-shift', buffered: false });
    new MutationObserver(() => {
      for (const each of document.querySelectorAll('[role=log] .manuscript p')) seen.push(each.textContent ?? '');
      const top = log()?.querySelector('article')?.getBoundingClientRect().top;
      if (top !== undefined && top !== tops.at(-1)) tops.push(top);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await desk.send('What does it cost?');
  await expect(desk.answers.last().getByRole('cell', { name: '42' })).toBeVisible();
  await expect(desk.answers.last()).toContainText('That is all.');
  const places = () =>
    desk.answers
      .last()
      .evaluate((answer) =>
        [...answer.querySelectorAll('.manuscript :is(p, table)')].map((each) =>
          Math.round(each.getBoundingClientRect().top),
        ),
      );
  // The browser tells of what has moved a moment later.
  await untilStill(page);
  const before = await places();
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  await desk.untilIdle();
  await untilStill(page);
  expect(await places()).toEqual(before);
  expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual(shifts);
  // Nothing comes or goes above it, from the first word on.
  expect(await page.evaluate(() => (window as unknown as { tops: number[] }).tops)).toHaveLength(1);
  // Nor does it look otherwise when it is read again.
  const apart = (tops: readonly number[]) => tops.map((top) => top - tops[0]!);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.filter((text) => text.includes('|'))).toEqual([]);
  await page.reload();
  await expect.poll(async () => apart(await places())).toEqual(apart(before));
});

// Without the fixture `desk`, as in the next test: the browser reports every request that fails.
test('a message that found no connection is not lost and goes when it is back; one that is too long can be edited', async ({
  page,
  startScripted,
}) => {
  const desk = new Workspace(page);
  const { server } = await startScripted(think);
  await page.goto(server.url);
  await desk.ask('List the pages');
  let isGone = true;
  await page.route(/\/api\/(chat|health)/, (route) => (isGone ? route.abort() : route.continue()));
  await desk.send('List the posts');
  await expect(page.getByText(transcriptStrings.sendLater)).toBeVisible();
  isGone = false;
  await expect(desk.tool(/^Listed \d+ posts?$/)).toBeVisible();
  await expect(page.getByText(transcriptStrings.sendLater)).toHaveCount(0);
  // While an answer is written the next message goes to the queue, another address than those that are gone here.
  await desk.untilIdle();

  // A reload gives it back.
  isGone = true;
  await desk.send('Find posts about glaze');
  await expect(page.getByText(transcriptStrings.sendLater)).toBeVisible();
  await page.reload();
  await expect(desk.composer).toHaveValue('Find posts about glaze');
  isGone = false;
  await desk.composer.fill('');

  const long = 'word '.repeat(50_000);
  await desk.send(long);
  await page.getByRole('button', { name: transcriptStrings.change, exact: true }).click();
  await expect(desk.composer).toBeFocused();
  await expect(desk.composer).toHaveValue(long.trim());
});

test('the preview is never white: a page that visitors do not have says so, without scripts', async ({
  page,
  server,
}) => {
  const desk = new Workspace(page);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script' && request.frame().parentFrame()) scripts.push(request.url());
  });
  await page.goto(server.url);
  await desk.ask('Create a page called Night firing');
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Night firing');
  await page.getByRole('radio', { name: previewStrings.published }).click();
  await expect(desk.preview.getByRole('heading', { name: siteStrings.notFound.heading })).toBeVisible();
  await page.getByRole('button', { name: previewStrings.showDraft }).click();
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Night firing');

  // What is changed while visitors' version is shown is in the draft, one press away.
  await page.getByRole('radio', { name: previewStrings.published }).click();
  await desk.ask('Change the hero heading on Home to "Open late"');
  await expect(page.getByText(previewStrings.inDraft)).toBeVisible();
  await expect(desk.preview.getByRole('heading', { level: 1 })).not.toHaveText('Open late');
  await page.getByRole('button', { name: previewStrings.showDraft }).click();
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Open late');

  // Undone by the word on its card; the card, the answer and the preview say so.
  const card = desk.tool('Created the page Night firing');
  await card.getByRole('button', { name: /^Undo: / }).click();
  await expect(card.getByText(changesStrings.undone, { exact: true })).toBeVisible();
  await expect(desk.answers.first().getByText(changesStrings.answerUndone)).toBeVisible();
  // Nothing of it is left to undo.
  const undoFirst = desk.answers.first().getByRole('button', { name: changesStrings.undoTurnAction });
  await expect(undoFirst).toHaveCount(0);
  await card.getByRole('button', { name: toolStrings.showLabel('Night firing') }).click();
  await expect(desk.preview.getByRole('heading', { name: siteStrings.notFound.heading })).toBeVisible();
  await desk.chooseOfPage(previewStrings.reload);
  await expect(desk.preview.getByRole('heading', { name: siteStrings.notFound.heading })).toBeVisible();
  await card.getByRole('button', { name: /^Redo: / }).click();
  await expect(card.getByText(changesStrings.undone, { exact: true })).toHaveCount(0);
  await expect(undoFirst).toHaveCount(1);

  // Of what builds on it, the undo says so and takes it along.
  await desk.ask('Change the title of Night firing to "Night kiln"');
  await desk.ask('Change the title of Night kiln to "The night kiln"');
  await desk.transcript
    .getByRole('button', { name: /^Undo: .*Night kiln/ })
    .first()
    .click();
  const dialog = page.getByRole('alertdialog', { name: changesStrings.dialog.conflictTitle });
  await dialog.getByRole('button', { name: changesStrings.dialog.along }).click();
  await expect(desk.transcript.getByText(changesStrings.answerUndone)).toHaveCount(2);

  await desk.ask('Publish Night firing');
  await desk.approve();
  await expect(page.getByRole('link', { name: toolStrings.viewLive })).toHaveAttribute('href', '/site/night-firing');
  // What one can do stands in one row, also where that is below the title.
  const published = desk.tool('Published Night firing');
  const ofCard = published.getByRole('link').or(published.getByRole('button', { name: /^(Undo: |Show )/ }));
  await expect(ofCard).toHaveCount(3);
  const middles = (await ofCard.all()).map((each) =>
    each.evaluate((element) => {
      const { top, height } = element.getBoundingClientRect();
      return Math.round(top + height / 2);
    }),
  );
  expect(new Set(await Promise.all(middles)).size).toBe(1);
  expect(scripts).toEqual([]);

  const visitor = await page.request.get(`${server.url}/site/nothing-here`);
  expect(visitor.status()).toBe(404);
  expect((await visitor.text()).replaceAll(/<script[^]*?<\/script>/g, '')).toContain(siteStrings.notFound.body);
});

test('a newcomer is told who answers, and what it cannot do comes with sentences to click', async ({ desk, page }) => {
  const requests = requestsOf(page);
  // What the page asks again every few seconds is not part of its first load, however long that takes.
  await page.addInitScript(() => {
    const real = window.setTimeout.bind(window);
    const often = (handler: TimerHandler, ms = 0, ...args: unknown[]) => (ms < 5_000 ? real(handler, ms, ...args) : 0);
    Object.assign(window, { setTimeout: often });
  });
  await page.goto('/');
  const strip = page.getByRole('complementary', { name: basicAssistantStrings.strip.title });
  await expect(strip).toContainText('No language model answers yet');
  await expect(strip.getByRole('button', { name: basicAssistantStrings.strip.connect })).toBeVisible();
  await expect(desk.preview.locator('body')).toBeVisible();
  await requests.untilQuiet();
  expect(requests.all.length).toBeLessThanOrEqual(25);
  await desk.ask('Sing me a song');
  const sentences = page.getByRole('region', { name: basicAssistantStrings.tryThese });
  await sentences.getByRole('button', { name: 'List the pages' }).click();
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  await expect(sentences).toHaveCount(0);
  // An answer names things as people do.
  await expect(desk.answers.last()).not.toContainText('pag_');
});

test('a toast lies on nothing, only one is there, and it goes: above the field, a card, the memory, a list, on a phone', async ({
  desk,
  page,
}) => {
  const toast = page.locator('[data-sonner-toast][data-visible="true"]');
  /** Controls under the toast; of what it makes room in, nothing is. */
  const covered = () =>
    toast.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const under: (string | null)[] = [];
      for (let x = left + 1; x < right; x += 12)
        for (let y = top + 1; y < bottom; y += 12) {
          const [first] = document.elementsFromPoint(x, y).filter((each) => !each.closest('[data-sonner-toaster]'));
          const control = first?.closest('a, button, input, textarea, select, iframe, [role=treeitem]');
          if (control) under.push(control.getAttribute('aria-label') ?? control.textContent);
        }
      return under;
    });
  const liesOnNothing = async () => {
    await expect(toast).toHaveCount(1);
    // Under the pointer it stays.
    await toast.hover();
    await expect.poll(covered).toEqual([]);
  };
  const takeBack = (title: string) =>
    desk
      .tool(`Created the page ${title}`)
      .getByRole('button', { name: /^Undo: / })
      .click();
  await page.goto('/');
  for (const title of ['Three', 'One', 'Two']) await desk.ask(`Create a page called ${title}`);
  for (const title of ['One', 'Two']) {
    await takeBack(title);
    await expect(
      desk.tool(`Created the page ${title}`).getByText(changesStrings.undone, { exact: true }),
    ).toBeVisible();
  }
  await liesOnNothing();
  await page.getByRole('button', { name: /^Memory: / }).click();
  await liesOnNothing();
  await escapeFrom(page.getByRole('dialog', { name: contextStrings.title }));

  // The card of a knot, which opens above what is beside it, makes room for what it says itself.
  await page
    .getByRole('navigation', { name: historyStrings.label })
    .getByRole('listitem')
    .last()
    .getByRole('button')
    .click();
  const card = page.getByRole('dialog', { name: /^Checkpoint from / });
  await card.getByRole('button', { name: /^Redo: / }).click();
  await expect(toast).toContainText(changesStrings.redoneToast(''));
  await expect(toast.getByRole('button')).toHaveText(changesStrings.undo);
  await liesOnNothing();
  await escapeFrom(card);

  // It goes after its time.
  await page.mouse.move(5, 5);
  await expect(toast).toHaveCount(0);

  // A long list scrolls beside it.
  await page.goto(LIBRARY_CHANGES_PATH);
  await page.getByRole('button', { name: /^Undo: .*"Three"/ }).click();
  await liesOnNothing();
  await page.getByRole('main').getByRole('link').last().scrollIntoViewIfNeeded();
  await liesOnNothing();

  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto('/');
  await page.getByRole('button', { name: sidebarStrings.open }).click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /Create a page called Three/ })
    .first()
    .click();
  await takeBack('Two');
  await liesOnNothing();
  await page.getByRole('radio', { name: tabStrings.preview }).click();
  await liesOnNothing();
});

test('the audit log says who approved, and the reference names the address that it is served from', async ({
  desk,
  page,
  server,
}) => {
  await page.goto('/');
  await desk.ask('Create a page called Open day');
  await desk.ask('Publish Open day');
  await desk.approve();
  await page.goto('/admin/audit');
  const rows = page.getByRole('table', { name: auditStrings.table }).getByRole('row');
  // The same server has been used by the tests before this one.
  await expect(
    rows.filter({ hasText: 'Open day' }).filter({ hasText: auditStrings.actions['call-approved'] }),
  ).toHaveCount(1);
  await page.goto('/docs/api');
  await expect(page.getByText(`curl ${server.url}/api/sessions`)).toBeVisible();
});
