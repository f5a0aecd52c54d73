import { strings } from '#components/words';
import { expect, test } from '#tests/e2e/support/desk-test';

const FIRST_REQUEST = 'Create a page called Pricing about honest prices for handmade things';
const QUESTION = 'Do you ship abroad?';
const ANSWER = 'Yes, to every country with a post office.';
const HEADING = 'What a mug costs, and why';

test('a newcomer goes from an empty chat to a published page', async ({ desk, page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: strings.start.title })).toBeVisible();
  for (const suggestion of strings.start.suggestions) {
    await expect(page.getByRole('button', { name: suggestion, exact: true })).toBeVisible();
  }

  await desk.send(FIRST_REQUEST);
  await expect(page).toHaveURL(/\/c\/ses_/);
  await expect(desk.tool('Created the page Pricing')).toBeVisible();
  await desk.untilIdle();
  await expect(desk.answers.last()).toContainText('Pricing');
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

test('a suggestion is one click away from its answer', async ({ desk, page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'List the pages', exact: true }).click();
  await expect(desk.requests).toHaveText([/List the pages/]);
  await expect(desk.tool(/^Listed \d+ pages$/)).toBeVisible();
  await expect(desk.answers.last()).toContainText('Workshops');

  await desk.newChat();
});

test('an unknown conversation says so and leads back', async ({ page }) => {
  await page.goto('/c/ses_00000000000000000000000000');
  await expect(page.getByText(strings.transcript.missing)).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: strings.sidebar.newChat }).last().click();
  await expect(page.getByRole('heading', { name: strings.start.title })).toBeVisible();
});
