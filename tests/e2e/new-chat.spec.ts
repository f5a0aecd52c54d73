import { queueStrings, startStrings } from '#components/chat/session/words';
import { Desk } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';

test('what is written while the conversation is being created arrives, in its order', async ({ desk, page }) => {
  const gate = createGate();
  await page.route('**/api/sessions', async (route) => {
    if (route.request().method() === 'POST') await gate.opened;
    await route.continue();
  });
  await page.goto('/');
  await desk.send('Find posts about raku');
  await desk.send('List the posts');
  await desk.send('What did I ask first?');
  await desk.composer.fill('Half a thought');
  gate.open();

  await expect(page).toHaveURL(/\/c\/ses_/);
  await expect(desk.requests.last()).toContainText('What did I ask first?');
  await desk.untilIdle();
  await expect(desk.queue).toHaveCount(0);
  const words = (await desk.requests.allInnerTexts()).join('\n');
  expect(words).toMatch(/Find posts about raku[^]*List the posts[^]*What did I ask first\?/);
  expect(words.match(/Find posts|List the|What did/g)).toHaveLength(3);
  await expect(desk.composer).toHaveValue('Half a thought');
  await expect(desk.sidebar.getByRole('link', { name: 'Find posts about raku' })).toHaveCount(1);
});

// Without the fixture `desk`: a refused request is an error on the browser's console.
test('what is written for a conversation that could not be created is put back', async ({ page }) => {
  const desk = new Desk(page);
  const gate = createGate();
  let isDown = true;
  await page.route('**/api/sessions', async (route) => {
    if (!isDown || route.request().method() !== 'POST') return route.continue();
    await gate.opened;
    return route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Not now.' } } });
  });
  await page.goto('/');
  await desk.send('List the pages');
  await desk.send('List the posts');
  await desk.composer.fill('Half a thought');
  gate.open();
  await expect(desk.composer).toHaveValue('Half a thought\n\nList the pages\n\nList the posts');
  await expect(page.getByText(queueStrings.failed('Not now.')).first()).toBeVisible();

  isDown = false;
  await desk.send('List the pages');
  await expect(desk.requests).toHaveText([/List the pages/]);
});

test('two suggestions chosen at once start one conversation', async ({ desk, page }) => {
  let created = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/sessions')) created += 1;
  });
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  const [first, second] = startStrings.suggestions;
  const other = await page.getByRole('button', { name: second, exact: true }).elementHandle();
  await page.getByRole('button', { name: first, exact: true }).evaluate((button: HTMLElement, another) => {
    button.click();
    (another as HTMLElement | null)?.click();
  }, other);
  await expect(page).toHaveURL(/\/c\/ses_/);
  await desk.untilIdle();
  await expect(desk.requests).toHaveCount(1);
  expect(created).toBe(1);
});
