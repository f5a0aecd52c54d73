import type { Locator } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { kindWords } from '#components/editor/model/field-words.ts';
import { panelStrings, pointStrings, savingStrings } from '#components/editor/words.ts';
import { sidebarStrings } from '#components/chat/sidebar/words.ts';
import { composerStrings, startStrings, tabStrings, transcriptStrings } from '#components/chat/text/words.ts';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { openOnPhone, PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { escapeFrom, stillBox } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';
import type { ParsedRequest } from '#tests/support/request-log';
import { strings } from '#components/words.ts';

const FIRST_REQUEST = 'Create a page called Pricing about honest prices for handmade things';
const QUESTION = 'Do you ship abroad?';
const ANSWER = 'Yes, to every country with a post office.';
const HEADING = 'What a mug costs, and why';
const WARM = 'Come in and get warm';

/** Makes the section warmer that is chosen, if one is. */
function warmer(request: ParsedRequest) {
  const asked = JSON.stringify(request.messages);
  const [, sectionId] =
    /Chosen by the user on the page: section (sec_\w+) /.exec(asked.slice(asked.lastIndexOf('Chosen by the user'))) ??
    [];
  if (!newestRequest(request).includes('warmer') || sectionId === undefined) return { text: 'Which one?' };
  if (request.messages.at(-1)?.role === 'tool') return { text: 'It is warmer now.' };
  return { toolCalls: [{ id: 'c1', name: 'update_section', input: { sectionId, fields: { heading: WARM } } }] };
}

/** A question that was added just now takes the focus. */
async function typeIntoNew(panel: Locator, question: string): Promise<void> {
  const field = panel.getByLabel('Question', { exact: true }).filter({ visible: true });
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await panel.page().keyboard.type(question);
}

test('a newcomer goes from an empty chat to a published page', async ({ desk, page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: startStrings.title })).toBeVisible();
  for (const suggestion of startStrings.suggestions) {
    await expect(page.getByRole('button', { name: suggestion, exact: true })).toBeVisible();
  }

  await desk.send(FIRST_REQUEST);
  await expect(page).toHaveURL(/\/c\/ses_/);
  await expect(desk.tool('Created the page Pricing')).toBeVisible();
  await desk.untilIdle();
  // The answer does not repeat the card above it.
  await expect(desk.answers.last().locator('.manuscript')).toHaveText('Pricing is ready as a draft.');
  await expect(desk.preview.getByRole('heading', { level: 1, name: 'Pricing' })).toBeVisible();

  await desk.ask(`Add a faq section to Pricing with the question "${QUESTION}" and the answer "${ANSWER}"`);
  await expect(desk.tool('Added a FAQ section to Pricing')).toBeVisible();
  await expect(desk.preview.getByText(QUESTION)).toBeVisible();

  await desk.ask(`Change the hero heading on Pricing to "${HEADING}"`);
  await expect(desk.tool('Changed heading on Pricing')).toBeVisible();
  await expect(desk.preview.getByRole('heading', { level: 1, name: HEADING })).toBeVisible();

  expect((await page.request.get('/site/pricing')).status()).toBe(404);
  await desk.ask('Publish Pricing');
  await expect(desk.approval).toContainText('Puts "Pricing" on the site, at /pricing.');
  // It is called there as it is in the panel and in the page settings.
  await expect(desk.approval).toContainText(/Address.*Short description.*Hero/s);
  await expect(desk.approval).not.toContainText(/slug|excerpt/i);
  expect((await page.request.get('/site/pricing')).status()).toBe(404);
  await desk.approve();
  await expect(desk.tool('Published Pricing')).toBeVisible();

  const visitor = await page.context().newPage();
  const response = await visitor.goto('/site/pricing');
  expect(response?.status()).toBe(200);
  await expect(visitor.getByRole('heading', { level: 1, name: HEADING })).toBeVisible();
  await visitor.getByText(QUESTION).click();
  await expect(visitor.getByText(ANSWER, { exact: true })).toBeVisible();
  await visitor.close();

  await page.reload();
  await expect(desk.requests).toHaveText([/honest prices/, /faq section/, /hero heading/, /Publish Pricing/]);
  await expect(desk.answers).toHaveCount(4);
  await expect(desk.tool('Published Pricing')).toHaveCount(1);
  await expect(desk.sidebar.getByRole('link', { name: 'Create a page called Pricing' })).toHaveAttribute(
    'aria-current',
    'page',
  );

  await expect(await desk.ask('What did I ask first?')).toContainText(FIRST_REQUEST);
});

test('an unknown conversation says so and leads back', async ({ page }) => {
  await page.goto('/c/ses_00000000000000000000000000');
  await expect(page.getByText(transcriptStrings.missing)).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: sidebarStrings.newChat }).last().click();
  await expect(page.getByRole('heading', { name: startStrings.title })).toBeVisible();
});

test('a newcomer finds by hand what a page is made of, and works on it together with the assistant', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(warmer);
  const api = createApiClient({ baseUrl: server.url });
  const sections = async () => (await api.get<PlacedEntry>(paths.entry('page', 'workshops'))).draft.sections;
  const questions = async () => {
    const items = (await sections()).find(({ type }) => type === 'faq')?.fields['items'];
    return (items as { readonly question: string }[]).map(({ question }) => question);
  };
  const heading = (name: string) => desk.preview.getByRole('heading', { name, exact: true });
  await page.goto(server.url);
  const hand = new PageUnderHand(page);
  await hand.ready();
  await page.getByRole('button', { name: previewStrings.pick }).click();
  await page.getByRole('button', { name: /^Workshops/ }).click();
  await expect(heading('How a workshop goes')).toBeVisible();

  // What a pointer over the page shows leads on: the kind of section, then its bar, and how a text is written.
  const { x, y } = await hand.pointOf('[data-kind=text] h2');
  await page.mouse.move(x, y);
  await expect(hand.surface.getByText(kindWords.text.name, { exact: true })).toBeVisible();
  await expect(hand.surface.getByTitle(pointStrings.hint)).toBeAttached();
  await page.mouse.click(x, y);
  await expect(hand.bar.getByRole('button', { name: pointStrings.edit })).toBeVisible();
  await page.mouse.dblclick(x, y);
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await line.fill('How a workshop really goes');
  await expect(page.locator('[data-writing]').getByText('Saved', { exact: true })).toBeVisible();
  await line.press('Enter');
  await expect(heading('How a workshop really goes')).toBeVisible();

  // Two questions by hand, from the section's bar.
  const before = await questions();
  await hand.click('[data-kind=faq] h2');
  await hand.bar.getByRole('button', { name: pointStrings.edit }).click();
  const panel = page.getByRole('dialog', { name: kindWords.faq.name });
  for (const [question, answer] of [
    ['May I bring a dog?', 'If it sits still.'],
    ['Is there parking?', 'Two places by the slipway.'],
  ] as const) {
    await panel.getByRole('button', { name: 'Add a question' }).click();
    await typeIntoNew(panel, question);
    await panel.getByLabel('Answer').filter({ visible: true }).fill(answer);
    await expect(desk.preview.getByText(question)).toBeVisible();
  }
  await expect.poll(questions).toEqual([...before, 'May I bring a dog?', 'Is there parking?']);
  await escapeFrom(panel);

  // Another picture, from disk.
  await hand.click('[data-kind=hero] h1');
  await hand.bar.getByRole('button', { name: pointStrings.edit }).click();
  const opening = page.getByRole('dialog', { name: kindWords.hero.name });
  const chooser = page.waitForEvent('filechooser');
  await opening.getByRole('button', { name: panelStrings.picture.upload }).click();
  const buffer = await colouredPicture('#b5651d', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'kiln-room.png', mimeType: 'image/png', buffer }]);
  await expect(desk.preview.locator('img[src$="/kiln-room.png"]')).toBeVisible();
  await escapeFrom(opening);

  // A section goes to another place by keyboard, and by dragging its row back.
  const [first = '', second = '', ...rest] = await hand.kinds();
  await hand.surface.focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await page.getByRole('button', { name: strings.page.outline }).click();
  const rows = hand.outline.getByRole('treeitem');
  const [from, to] = [await stillBox(rows.nth(1)), await stillBox(rows.nth(0))];
  await page.mouse.move(from.x + 12, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, to.y + 4, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
  await page.keyboard.press('Escape');

  // The assistant is asked about the section that is chosen, and changes that one alone.
  const untouched = await sections();
  await hand.click('[data-kind=text] h2');
  await expect(page.getByRole('list', { name: pointStrings.chip })).toContainText('How a workshop really goes');
  await page.keyboard.type('Make this warmer');
  await page.keyboard.press('Enter');
  await expect(heading(WARM)).toBeVisible();
  await desk.untilIdle();
  const changed = (await sections()).filter((section, at) => JSON.stringify(section) !== JSON.stringify(untouched[at]));
  expect(changed.map(({ type, fields }) => [type, fields['heading']])).toEqual([['text', WARM]]);
  await page.mouse.dblclick(...(Object.values(await hand.pointOf('[data-kind=text] h2')) as [number, number]));
  await line.fill('Warm, and by hand');
  await expect(page.locator('[data-writing]').getByText('Saved', { exact: true })).toBeVisible();
  await line.press('Escape');
  await expect(heading('Warm, and by hand')).toBeVisible();

  // Hand and assistant are taken back in turn by one key, newest first.
  await page.keyboard.press('Control+z');
  await expect(heading(WARM)).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(heading('How a workshop really goes')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
  await page.keyboard.press('Control+Shift+z');
  await expect(heading(WARM)).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(heading('Warm, and by hand')).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(page.getByText(savingStrings.undo.nothingToRedo)).toBeVisible();
});

test('on a phone, too: a heading, two questions, a picture, another place, a warmer tone, and the way back', async ({
  browser,
  startScripted,
}) => {
  const { server } = await startScripted(warmer);
  await using hand = await openOnPhone(browser, `${server.url}${deskPagePath('/workshops')}`);
  const { page } = hand;
  const shown = hand.frame.contentFrame();
  const heading = (name: string) => shown.getByRole('heading', { name, exact: true });
  const tab = (name: string) => page.getByRole('radio', { name, exact: true }).tap();

  // The bar says what can be done; a second tap on a text writes in it.
  await hand.tap('[data-kind=text] h2');
  await expect(hand.bar.getByRole('button', { name: pointStrings.edit })).toHaveText(pointStrings.edit);
  expect(await violationsOf(page, { within: '[role=toolbar]' })).toEqual([]);
  await hand.tap('[data-kind=text] h2', 2);
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  expect(await violationsOf(page, { within: '[data-writing]' })).toEqual([]);
  await line.fill('How a workshop really goes');
  await expect(page.locator('[data-writing]').getByText('Saved', { exact: true })).toBeVisible();
  await line.press('Enter');
  await expect(heading('How a workshop really goes')).toBeVisible();

  await hand.tap('[data-kind=faq] h2');
  await hand.bar.getByRole('button', { name: pointStrings.edit }).tap();
  const panel = page.getByRole('dialog', { name: kindWords.faq.name });
  for (const question of ['May I bring a dog?', 'Is there parking?']) {
    await panel.getByRole('button', { name: 'Add a question' }).tap();
    await typeIntoNew(panel, question);
    await panel.getByLabel('Answer').filter({ visible: true }).fill('Yes.');
    await expect(shown.getByText(question)).toBeAttached();
  }
  await panel.getByRole('button', { name: panelStrings.close }).tap();
  await expect(panel).toHaveCount(0);

  await hand.tap('[data-kind=hero] h1');
  await hand.bar.getByRole('button', { name: pointStrings.edit }).tap();
  const opening = page.getByRole('dialog', { name: kindWords.hero.name });
  const chooser = page.waitForEvent('filechooser');
  await opening.getByRole('button', { name: panelStrings.picture.upload }).tap();
  const buffer = await colouredPicture('#b5651d', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'kiln-room.png', mimeType: 'image/png', buffer }]);
  await expect(shown.locator('img[src$="/kiln-room.png"]')).toBeAttached();
  await opening.getByRole('button', { name: panelStrings.close }).tap();
  const [first = '', second = '', ...rest] = await hand.kinds();
  await hand.bar.getByRole('button', { name: pointStrings.down }).tap();
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  // And back by a finger on its row in the outline.
  await page.getByRole('button', { name: strings.page.outline }).tap();
  const rows = hand.outline.getByRole('treeitem');
  const [from, to] = [await stillBox(rows.nth(1)), await stillBox(rows.nth(0))];
  const finger = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', y: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: from.x + 12, y }] });
  await touch('touchStart', from.y + from.height / 2);
  for (const y of [from.y, to.y + to.height, to.y + 10, to.y + 4]) await touch('touchMove', y);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
  await page.keyboard.press('Escape');

  await hand.tap('[data-kind=text] h2');
  await hand.bar.getByRole('button', { name: pointStrings.ask }).tap();
  const field = page.getByRole('textbox', { name: composerStrings.label });
  await expect(field).toBeFocused();
  await field.fill('Make this warmer');
  await page.getByRole('button', { name: composerStrings.send, exact: true }).tap();
  await expect(page.getByText('It is warmer now.')).toBeVisible();
  await tab(tabStrings.preview);
  await expect(heading(WARM)).toBeVisible();
  await expect(heading('Learn to throw, slowly')).toBeVisible();

  // Newest first: what the assistant did, then what the hand did; a phone has no keys for it.
  const chooseOfPage = async (item: string) => {
    await page.getByRole('button', { name: previewStrings.more, exact: true }).tap();
    await page.getByRole('menuitem', { name: item, exact: true }).tap();
  };
  await chooseOfPage(strings.page.undo);
  await expect(heading('How a workshop really goes')).toBeVisible();
  await chooseOfPage(strings.page.undo);
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await chooseOfPage(strings.page.redo);
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
});
