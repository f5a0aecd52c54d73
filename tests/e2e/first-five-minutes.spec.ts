import { deskPagePath } from '#components/workspace/navigation.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { suggestions } from '#components/chat/text/example-requests.ts';
import { violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { openOnPhone, type PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { newestRequest, think } from '#tests/e2e/support/scripted-model';
import { stillBox } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';
import type { ParsedRequest } from '#tests/support/request-log';

const tPageSections = translator('pageSections');
const tSectionPanel = translator('sectionPanel');
const t = translator('composer');
const tStart = translator('start');
const tTab = translator('tab');
const tPreview = translator('preview');
const tShared = translator('shared');

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

/** Drags the second row of the outline above the first one with a finger. */
async function dragSecondRowUp({ page, outline }: PageUnderHand): Promise<void> {
  const rows = outline.getByRole('treeitem');
  const [from, to] = [await stillBox(rows.nth(1)), await stillBox(rows.nth(0))];
  const finger = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', y: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: from.x + 12, y }] });
  await touch('touchStart', from.y + from.height / 2);
  for (const y of [from.y, to.y + to.height, to.y + 10, to.y + 4]) await touch('touchMove', y);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test('a newcomer goes from an empty chat to a published page', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  for (const suggestion of suggestions()) {
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
  await expect(desk.tool('Added an FAQ section to Pricing')).toBeVisible();
  await expect(desk.preview.getByText(QUESTION)).toBeVisible();

  await desk.ask(`Change the hero heading on Pricing to "${HEADING}"`);
  await expect(desk.tool('Changed heading on Pricing')).toBeVisible();
  await expect(desk.preview.getByRole('heading', { level: 1, name: HEADING })).toBeVisible();

  expect((await page.request.get(`${server.url}/site/pricing`)).status()).toBe(404);
  await desk.ask('Publish Pricing');
  await expect(desk.approval).toContainText('Puts "Pricing" on the site, at /pricing.');
  // The approval uses the labels of the panel and of the page settings.
  await expect(desk.approval).toContainText(/Address.*Short description.*Hero/s);
  await expect(desk.approval).not.toContainText(/slug|excerpt/i);
  expect((await page.request.get(`${server.url}/site/pricing`)).status()).toBe(404);
  await desk.approve();
  await expect(desk.tool('Published Pricing')).toBeVisible();

  const visitor = await page.context().newPage();
  const response = await visitor.goto(`${server.url}/site/pricing`);
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

test('on a phone: heading, questions, picture, another place, warmer tone, and undo', async ({
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
  await expect(hand.bar.getByRole('button', { name: tPageSections('edit') })).toHaveText(tPageSections('edit'));
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
  await hand.bar.getByRole('button', { name: tPageSections('edit') }).tap();
  const panel = page.getByRole('dialog', { name: kindName('faq') });
  await panel.getByRole('button', { name: 'Add a question' }).tap();
  // A question that was added just now takes the focus.
  const question = panel.getByLabel('Question', { exact: true }).filter({ visible: true });
  await expect(question).toHaveValue('');
  await expect(question).toBeFocused();
  await page.keyboard.type('May I bring a dog?');
  await panel.getByLabel('Answer').filter({ visible: true }).fill('Yes.');
  await expect(shown.getByText('May I bring a dog?')).toBeAttached();
  await panel.getByRole('button', { name: tSectionPanel('close') }).tap();
  await expect(panel).toHaveCount(0);

  await hand.tap('[data-kind=hero] h1');
  await hand.bar.getByRole('button', { name: tPageSections('edit') }).tap();
  const opening = page.getByRole('dialog', { name: kindName('hero') });
  const chooser = page.waitForEvent('filechooser');
  await opening.getByRole('button', { name: tSectionPanel('picture.upload') }).tap();
  const buffer = await colouredPicture('#b5651d', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'kiln-room.png', mimeType: 'image/png', buffer }]);
  await expect(shown.locator('img[src$="/kiln-room.png"]')).toBeAttached();
  await opening.getByRole('button', { name: tSectionPanel('close') }).tap();
  const [first = '', second = '', ...rest] = await hand.kinds();
  await hand.bar.getByRole('button', { name: tPageSections('down') }).tap();
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  // And back by a finger on its row in the outline.
  await page.getByRole('button', { name: tShared('page.outline') }).tap();
  await dragSecondRowUp(hand);
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
  await page.keyboard.press('Escape');

  await hand.tap('[data-kind=text] h2');
  await hand.bar.getByRole('button', { name: tPageSections('ask') }).tap();
  const field = page.getByRole('textbox', { name: t('label') });
  await expect(field).toBeFocused();
  await field.fill('Make this warmer');
  await page.getByRole('button', { name: t('send'), exact: true }).tap();
  await expect(page.getByText('It is warmer now.')).toBeVisible();
  await tab(tTab('preview'));
  await expect(heading(WARM)).toBeVisible();
  await expect(heading('Learn to throw, slowly')).toBeVisible();

  // Newest first: what the assistant did, then what the hand did; a phone has no keys for it.
  const chooseOfPage = async (item: string) => {
    await page.getByRole('button', { name: tPreview('more'), exact: true }).tap();
    await page.getByRole('menuitem', { name: item, exact: true }).tap();
  };
  await chooseOfPage(tShared('page.undo'));
  await expect(heading('How a workshop really goes')).toBeVisible();
  await chooseOfPage(tShared('page.undo'));
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await chooseOfPage(tShared('page.redo'));
  await expect.poll(() => hand.kinds()).toEqual([first, second, ...rest]);
});
