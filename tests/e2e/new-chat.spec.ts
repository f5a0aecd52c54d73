import { examplesNeed, queueStrings, startStrings } from '#components/chat/text/words.ts';
import type { EntryPage } from '#server/core/site/site-lists';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';

test('messages written while the conversation is being created are shown, and arrive in order', async ({
  desk,
  page,
}) => {
  const gate = createGate();
  await page.route('**/api/sessions', async (route) => {
    if (route.request().method() === 'POST') await gate.opened;
    await route.continue();
  });
  await page.goto('/');
  await desk.send('Find posts about raku');
  await expect(desk.requests).toHaveText([/Find posts about raku/]);
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
  const desk = new Workspace(page);
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
  await expect(desk.requests).toHaveCount(0);

  isDown = false;
  await desk.send('List the pages');
  await expect(desk.requests).toHaveText([/List the pages/]);
});

test('a suggestion is put into the field, and sent only by its user', async ({ desk, page }) => {
  await page.goto('/');
  const [first, second] = startStrings.suggestions;
  await page.getByRole('button', { name: first, exact: true }).click();
  await expect(desk.composer).toHaveValue(first);
  await expect(desk.composer).toBeFocused();
  await page.getByRole('button', { name: second, exact: true }).click();
  await expect(desk.composer).toHaveValue(second);
  await expect(page).toHaveURL(/\/$/);

  // Own words stay.
  await desk.composer.fill('Be brief.');
  await page.getByRole('button', { name: first, exact: true }).click();
  await expect(desk.composer).toHaveValue(new RegExp(`^Be brief\\.\\s+${first}$`));
  await desk.composer.press('Enter');
  await expect(page).toHaveURL(/\/c\/ses_/);
  await desk.untilIdle();
  await expect(desk.requests).toHaveCount(1);
});

test('suggestions about content of the site are not offered after that content is deleted', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const suggestions = page.getByRole('region', { name: startStrings.suggestionsLabel }).getByRole('button');
  await page.goto(server.url);
  await expect(suggestions).toHaveText(startStrings.suggestions);
  const posts = `${server.url}/api/content/posts`;
  const { items } = (await (await page.request.get(posts)).json()) as EntryPage;
  for (const { id, title } of items)
    if (/glaze/i.test(title)) expect((await page.request.delete(`${posts}/${id}`)).ok()).toBe(true);
  await page.goto(server.url);
  await expect(suggestions).toHaveText(
    startStrings.suggestions.filter((_, index) => examplesNeed[index]?.length === 0),
  );
});
