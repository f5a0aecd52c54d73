import type { Page } from '@playwright/test';
import { composerStrings, modelStrings, queueStrings, transcriptStrings } from '#components/chat/text/words.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';

const WORDS = Array.from({ length: 6_000 }, (_, index) => `word${index + 1} `);

test('a conversation keeps its model, in every browser; a new one begins with the last that was picked here', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Good day.' }));
  const listed = await page.request.get(`${server.url}/api/models`);
  const { items } = (await listed.json()) as { items: { id: string; name: string }[] };
  const [one, two, three] = items.slice(-3);
  if (!one || !two || !three) throw new Error('There are fewer than three models.');
  const picker = (of: Page) => of.getByRole('button', { name: `${composerStrings.model}: ` });
  const shown = (name: string) => `${composerStrings.model}: ${name}`;
  const pick = async ({ id, name }: { id: string; name: string }) => {
    await picker(page).click();
    await page.getByRole('listbox', { name: modelStrings.list }).locator(`[data-value="${id}"]`).click();
    await expect(picker(page)).toHaveAccessibleName(shown(name));
  };

  await page.goto(server.url);
  await pick(one);
  await desk.ask('Hello');
  const first = page.url();
  await desk.newChat();
  await expect(picker(page)).toHaveAccessibleName(shown(one.name));
  await pick(two);
  await desk.ask('Good evening');
  const stored = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await pick(three);
  expect((await stored).ok()).toBe(true);
  const second = page.url();
  await desk.sidebar.getByRole('link', { name: /Hello/ }).click();
  await expect(picker(page)).toHaveAccessibleName(shown(one.name));

  const other = await openOther();
  await other.page.goto(second);
  await expect(picker(other.page)).toHaveAccessibleName(shown(three.name));
  await picker(other.page).click();
  const current = other.page.getByRole('option', { selected: true });
  await expect(current).toHaveAttribute('data-value', three.id);
  await expect(current).toBeInViewport();
  await other.page.goto(first);
  await expect(picker(other.page)).toHaveAccessibleName(shown(one.name));
});

test('two tabs stay in step: turns, queue and stop', async ({ desk, page, openOther, startScripted }) => {
  const scripted = await startScripted((request) =>
    newestRequest(request).includes('story') ? { chunks: WORDS, chunkDelayMs: 100 } : { text: 'Good day.' },
  );
  await page.goto(scripted.server.url);
  await desk.ask('Hello');
  const other = await openOther();
  await other.page.goto(page.url());
  await expect(other.answers).toHaveText([/Good day\./]);

  await desk.send('Tell me a story');
  await expect(other.requests).toHaveText([/Hello/, /Tell me a story/]);
  await expect(other.answers.last()).toContainText('word3 ');
  await expect(other.stopButton).toBeVisible();

  await other.send('From the other tab');
  await expect(desk.waiting('From the other tab')).toBeVisible();
  await desk.send('From this tab');
  await expect(other.queue.getByRole('listitem')).toHaveText([/From the other tab/, /From this tab/]);
  await other.waiting('From this tab').getByRole('button', { name: queueStrings.edit }).click();
  await expect(other.page.getByRole('textbox', { name: queueStrings.editLabel })).toBeFocused();
  await other.page.keyboard.type(', edited');
  await other.page.keyboard.press('Enter');
  await expect(desk.waiting('From this tab, edited')).toBeVisible();
  await desk.waiting('From the other tab').getByRole('button', { name: queueStrings.remove }).click();
  await expect(other.waiting('From the other tab')).toHaveCount(0);

  await other.stopButton.click();
  for (const tab of [desk, other]) {
    await expect(tab.answers.last()).toContainText(transcriptStrings.stopped);
    await expect(tab.stopButton).toHaveCount(0);
    await expect(tab.page.getByText(queueStrings.held)).toBeVisible();
  }
  await other.page.getByRole('button', { name: queueStrings.sendAll }).click();
  for (const tab of [desk, other]) {
    await expect(tab.requests).toHaveText([/Hello/, /Tell me a story/, /From this tab, edited/]);
    await expect(tab.answers.last()).toContainText('Good day.');
    await expect(tab.queue).toHaveCount(0);
  }
  for (const tab of [desk, other]) await tab.untilIdle();
  const answersOf = async (tab: Workspace) => (await tab.answers.allInnerTexts()).join('\n');
  await expect(async () => expect(await answersOf(desk)).toBe(await answersOf(other))).toPass();
});

test('a conversation that was not on screen shows what happened meanwhile', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  const gate = createGate();
  const scripted = await startScripted(async () => {
    await gate.opened;
    return { text: 'Done meanwhile.' };
  });
  await page.goto(scripted.server.url);
  await desk.send('First');
  await expect(page).toHaveURL(/\/c\/ses_/);
  const address = page.url();
  await desk.newChat();
  const other = await openOther();
  await other.page.goto(address);
  await other.send('Second');
  await other.waiting('Second').waitFor();
  gate.open();
  await expect(other.requests).toHaveCount(2);
  await other.untilIdle();

  await desk.sidebar.getByRole('link', { name: 'First' }).click();
  await expect(desk.requests).toHaveText([/First/, /Second/]);
  await expect(desk.answers).toHaveText([/Done meanwhile\./, /Done meanwhile\./]);
  await expect(desk.queue).toHaveCount(0);
});
