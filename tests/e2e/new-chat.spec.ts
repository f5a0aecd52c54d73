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
