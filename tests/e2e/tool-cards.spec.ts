import { toolStrings } from '#components/approvals/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';

test('a tool card shows the change and its duration, unfolds, and links to its page', async ({
  desk,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await desk.ask('Create a page called Tariffs');
  const card = desk.tool(/Tariffs/).first();
  await expect(card.getByText(/^(< )?\d+(\.\d)? s$/)).toBeVisible();

  const title = card.getByRole('button', { name: /Tariffs/ }).first();
  await title.click();
  await expect(title).toHaveAttribute('aria-expanded', 'true');
  const details = card.getByRole('region', { name: toolStrings.details });
  // What the step changed comes first; its fields as the assistant wrote them are folded.
  await expect(details.locator('ins').filter({ hasText: 'Tariffs' }).first()).toBeVisible();
  await expect(details.getByText('slug', { exact: true }).first()).toBeHidden();
  await details.getByText(toolStrings.technical, { exact: true }).click();
  await expect(details.getByText('slug', { exact: true }).first()).toBeVisible();
  await details.getByRole('button', { name: toolStrings.copyResult }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect(async () => expect(JSON.parse(await copied())).toMatchObject({ slug: 'tariffs' })).toPass();

  await page.reload();
  await expect(
    desk
      .tool(/Tariffs/)
      .first()
      .getByText(/^(< )?\d+(\.\d)? s$/),
  ).toBeVisible();
  await desk.ask('List the posts');
  await desk
    .tool(/Tariffs/)
    .first()
    .getByRole('button', { name: toolStrings.showLabel('Tariffs') })
    .click();
  await expect(desk.preview.getByRole('heading', { name: 'Tariffs' }).first()).toBeVisible();
});
