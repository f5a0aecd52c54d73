import type { Page } from '@playwright/test';
import { providerStrings } from '#components/providers/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { messageActionStrings, queueStrings, transcriptStrings } from '#components/chat/text/words.ts';
import { strings } from '#components/words.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';

const words = messageActionStrings;
const button = (desk: Workspace, name: string) => desk.transcript.getByRole('button', { name, exact: true });
const field = (desk: Workspace) => desk.transcript.getByRole('textbox', { name: words.editLabel });
const statusOf = async (page: Page, path: string) => (await page.request.get(new URL(path, page.url()).href)).status();

/** The next messages reach the server when it is opened. */
async function holdSending(page: Page): Promise<ReturnType<typeof createGate>> {
  const gate = createGate();
  await page.route('**/api/chat', async (route) => {
    await gate.opened;
    await route.continue();
  });
  return gate;
}

test('an edited request takes the place of the first, its page is taken back, and the first stays readable', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  const scripted = await startScripted(think);
  await page.goto(scripted.server.url);
  await desk.ask('Create a page titled "Glazes"');
  await desk.ask('Create a page titled "Kilns"');
  const other = await openOther();
  await other.page.goto(page.url());
  await expect(other.requests).toHaveCount(2);

  await button(desk, words.edit).click();
  await expect(field(desk)).toBeFocused();
  await expect(field(desk)).toHaveValue('Create a page titled "Kilns"');
  await page.keyboard.press('Escape');
  await expect(button(desk, words.edit)).toBeFocused();

  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: words.undoChanges(1) })).toBeChecked();
  await field(desk).fill('Create a page titled "Ovens"');
  await field(desk).press('Enter');
  for (const tab of [desk, other]) {
    await expect(tab.requests).toHaveText([/Glazes/, /Ovens/]);
    await expect(tab.answers.last()).toContainText('Ovens');
    await tab.untilIdle();
  }
  expect(await statusOf(page, '/api/content/pages/kilns')).toBe(404);
  expect(await statusOf(page, '/api/content/pages/ovens')).toBe(200);
  expect(await statusOf(page, '/api/content/pages/glazes')).toBe(200);
  await expect(desk.composer).toBeFocused();

  await page.reload();
  for (const tab of [desk, other]) {
    const earlier = tab.transcript.getByRole('region', { name: transcriptStrings.earlierVersion });
    await expect(earlier).toBeHidden();
    await button(tab, transcriptStrings.showEarlierVersion).click();
    await expect(earlier.getByRole('article', { name: transcriptStrings.you })).toContainText('Kilns');
    await expect(earlier.getByRole('article', { name: transcriptStrings.assistant })).toContainText('Kilns');
    for (const name of [words.copy, words.edit, words.retry])
      await expect(earlier.getByRole('button', { name, exact: true })).toHaveCount(0);
    await button(tab, transcriptStrings.hideEarlierVersion).click();
    await expect(earlier).toBeHidden();
  }
});

test('what is written in the place of a request is in the field once another message has come behind that', async ({
  desk,
  page,
  openOther,
}) => {
  await page.goto('/');
  await desk.ask('Create a page titled "Kilns"');
  const other = await openOther();
  await other.page.goto(page.url());
  await button(desk, words.edit).click();
  await field(desk).fill('Create a page titled "Ovens"');
  await other.ask('List the pages');
  await expect(desk.composer).toHaveValue('Create a page titled "Ovens"');
  await expect(page.getByText(queueStrings.editTooLate)).toBeVisible();
  await expect(desk.composer).toBeFocused();
  await expect(field(desk)).toHaveCount(0);
});

test('an answer is copied, and asked for again in its place', async ({ desk, page, context, startScripted }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const scripted = await startScripted((_, index) => ({ text: `**Answer** number ${String(index + 1)}.` }));
  await page.goto(scripted.server.url);
  await desk.ask('Hello');
  await desk.ask('And now?');
  await desk.answers.last().getByRole('button', { name: words.copy, exact: true }).click();
  await expect(desk.answers.last().getByText(strings.common.copied)).toBeAttached();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('**Answer** number 2.');
  await desk.requests.first().getByRole('button', { name: words.copy, exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Hello');

  await expect(button(desk, words.retry)).toHaveCount(1);
  const sending = await holdSending(page);
  await button(desk, words.retry).click();
  const search = desk.sidebar.getByRole('searchbox', { name: sidebarStrings.search });
  await search.fill('He');
  sending.open();
  await expect(desk.answers).toHaveText([/number 1/, /number 3/]);
  await expect(search).toBeFocused();
  await expect(desk.requests).toHaveText([/Hello/, /And now\?/]);
  await desk.untilIdle();
  expect(JSON.stringify(scripted.provider.requests.at(-1)?.messages)).not.toContain('number 2');
});

test('a retry asks what is to become of the changes, and leaves them where it is told to', async ({
  desk,
  page,
  startScripted,
}) => {
  let isAgain = false;
  const scripted = await startScripted((request, index) =>
    isAgain ? { text: 'Only words this time.' } : think(request, index),
  );
  await page.goto(scripted.server.url);
  await desk.ask('Create a page titled "Glazes"');
  isAgain = true;
  await button(desk, words.retry).click();
  const choice = page.getByRole('checkbox', { name: words.undoChanges(1) });
  await expect(choice).toBeChecked();
  await choice.uncheck();
  await page.getByRole('dialog').getByRole('button', { name: words.retry }).click();
  await expect(desk.answers).toHaveText([/Only words this time/]);
  expect(await statusOf(page, '/api/content/pages/glazes')).toBe(200);
});

test('a change that cannot be sent says why and keeps its text', async ({ page, startScripted }) => {
  const scripted = await startScripted(think);
  // Not the fixture: the console of this page reports the refusal.
  const desk = new Workspace(page);
  await page.goto(scripted.server.url);
  await desk.ask('Create a page titled "Glazes"');
  await page.request.post(`${scripted.server.url}/api/content/pages/glazes/publish`);
  await button(desk, words.edit).click();
  await expect(button(desk, words.retry)).toHaveCount(0);
  await field(desk).fill('Create a page titled "Kilns"');
  const sending = await holdSending(page);
  await field(desk).press('Enter');
  // What would be written or given up now would be lost, or sent all the same.
  await expect(field(desk)).not.toBeEditable();
  await field(desk).press('Escape');
  await desk.newChat();
  await page.goBack();
  await expect(field(desk)).not.toBeEditable();
  sending.open();
  await expect(page.getByText(/Later changes would be lost: Published "Glazes"/)).toBeVisible();
  await expect(field(desk)).toHaveValue('Create a page titled "Kilns"');
  expect(await statusOf(page, '/api/content/pages/glazes')).toBe(200);

  await page.getByRole('checkbox', { name: words.undoChanges(1) }).uncheck();
  await field(desk).press('Enter');
  await expect(desk.requests).toHaveText([/Kilns/]);
  await expect(desk.answers.last()).toContainText('Kilns');
  await desk.untilIdle();
  expect(await statusOf(page, '/api/content/pages/glazes')).toBe(200);
  expect(await statusOf(page, '/api/content/pages/kilns')).toBe(200);
});

test('a question whose turn failed is asked again without standing there twice', async ({
  desk,
  page,
  startScripted,
}) => {
  let works = false;
  let status = 400;
  const scripted = await startScripted(() =>
    works ? { text: 'Here I am.' } : { error: { status, code: status, message: 'The kiln is cold.' } },
  );
  await page.goto(scripted.server.url);
  await desk.send('Are you there?');
  await expect(page.getByText(transcriptStrings.turnFailed).first()).toBeVisible();
  const keyPlace = page.getByRole('link', { name: transcriptStrings.keyPlace });
  await expect(keyPlace).toHaveCount(0);
  works = true;
  await expect(button(desk, words.retry)).toHaveCount(1);
  // Also for who comes back to it later.
  await page.reload();
  await expect(page.getByText(transcriptStrings.turnFailed)).toHaveCount(1);
  await button(desk, words.retry).click();
  await expect(desk.answers).toHaveText([/Here I am\./]);
  await expect(desk.requests).toHaveText([/Are you there\?/]);
  await desk.untilIdle();

  // A key that is refused leads to where keys are named.
  works = false;
  status = 401;
  await desk.send('And now?');
  await keyPlace.click();
  await expect(page.getByRole('region', { name: providerStrings.title })).toBeInViewport();
});
