import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';

const tScheduleBar = translator('scheduleBar');

const tScheduled = translator('scheduled');
const t = translator('preview');
const tChanges = translator('changes');

test('a draft is planned in the preview, said wherever it is seen, and cancelled in the library', async ({
  desk,
  page,
  startScripted,
}) => {
  const [answer, planned] = [createGate(), createGate()];
  const { server } = await startScripted(async (request, index) => {
    await answer.opened;
    return think(request, index);
  });
  const pages = `${server.url}/api/content/pages`;
  await page.request.post(pages, { data: { title: 'Open evening' } });
  await page.goto(server.url);
  await desk.send('Change the hero heading on Home to "Open house"');
  await expect(desk.stopButton).toBeVisible();
  const pick = async () => {
    await page.getByRole('button', { name: t('pick') }).click();
    await page.getByRole('searchbox', { name: t('pickSearch') }).fill('Open evening');
    // Enter takes what is listed, which is read when the list opens.
    await expect(page.getByRole('button', { name: /^Open evening/ })).toBeVisible();
    await page.keyboard.press('Enter');
  };
  await pick();
  await page.getByRole('button', { name: tScheduleBar('open') }).click();
  const dialog = page.getByRole('dialog', { name: tScheduled('title', { title: 'Open evening' }) });
  await dialog.getByLabel(tScheduled('time')).fill('2020-01-05T09:00');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText(tScheduled('past'));
  await dialog.getByLabel(tScheduled('time')).fill('2034-01-04T09:00');
  await page.route(/\/schedule$/, async (route) => {
    await planned.opened;
    await route.continue();
  });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: tScheduleBar('open') }).click();
  await dialog.getByLabel(tScheduled('time')).fill('2033-01-05T09:00');
  // What was sent before it was opened is answered: it is another one.
  planned.open();
  await expect(
    page.getByText(tScheduled('done', { title: 'Open evening', when: 'Wed 4 Jan 2034, 09:00' })),
  ).toBeVisible();
  // The preview moves to what the assistant has written, while the dialog still concerns its page.
  answer.open();
  await expect(desk.preview.getByRole('heading', { name: 'Open house' })).toBeVisible();
  await expect(dialog.getByLabel(tScheduled('time'))).toHaveValue('2033-01-05T09:00');
  await dialog.getByLabel(tScheduled('time')).press('Enter');
  await expect(dialog).toBeHidden();
  await pick();
  const badge = page.getByRole('button', {
    name: tScheduleBar('scheduledLabel', { when: 'Wed 5 Jan 2033, 09:00', isOlder: String(false) }),
  });
  await expect(badge).toBeVisible();

  await page.goto(`${server.url}/library/changes`);
  const row = page.getByRole('listitem').filter({ hasText: 'Wed 5 Jan 2033, 09:00' });
  await row.getByRole('button', { name: tScheduled('list.cancelLabel', { title: 'Open evening' }) }).click();
  await expect(page.getByText(tScheduled('cancelled', { title: 'Open evening' }))).toBeVisible();
  await expect(row).toHaveCount(0);
  await page
    .getByRole('button', { name: tChanges('undo'), exact: true })
    .first()
    .click();
  await expect(row).toBeVisible();
});
