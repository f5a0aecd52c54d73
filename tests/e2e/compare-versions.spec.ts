import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { think } from '#tests/e2e/support/scripted-model';
import { expect, test } from '#tests/e2e/support/desk-test';
import { stillBox } from '#tests/e2e/support/waits';

const t = translator('changes.compare');
const tShared = translator('shared');

test('an editor compares two versions side by side, and on a phone one below the other', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const { entry } = await api.createEntry('page', {
    title: 'Kilns',
    slug: 'kilns',
    sections: [{ type: 'text', fields: { body: 'The kiln is cold today.' } }],
  });
  const sectionId = entry.draft.sections[0]!.id;
  const bodies = ['The kiln is warm today.', 'The kiln is hot today.'];
  for (const body of bodies)
    await api.patchEntry('page', entry.id, { operations: [{ op: 'set-section', sectionId, fields: { body } }] });

  await page.goto(`${server.url}/?page=kilns`);
  await desk.chooseOfPage(tShared('page.history'));
  const dialog = page.getByRole('dialog');
  const summary = dialog.getByText(t('title'));
  await summary.press('Enter');
  const from = dialog.getByLabel(t('from'), { exact: true });
  await expect(from).toBeVisible();
  // Neither the newest nor the published one: the versions of the first and the second text.
  const to = dialog.getByLabel(t('to'), { exact: true });
  await to.selectOption({ index: 2 });
  await from.selectOption({ index: 3 });
  const [before, after] = [dialog.getByRole('deletion'), dialog.getByRole('insertion')];
  await expect(before).toContainText('cold');
  await expect(after).toContainText('warm');
  const places = async () => [await stillBox(before), await stillBox(after)] as const;
  const [left, right] = await places();
  expect(right.x).toBeGreaterThan(left.x + left.width);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const [upper, lower] = await places();
  expect(lower.y).toBeGreaterThan(upper.y + upper.height);
  // Or both in one text.
  await dialog.getByRole('radio', { name: t('layouts.two') }).press('ArrowRight');
  await expect(dialog.getByText(t('before'), { exact: true })).toHaveCount(0);
  await expect(after).toContainText('warm');
});
