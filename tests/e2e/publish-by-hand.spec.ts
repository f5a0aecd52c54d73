import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';

const t = translator('pageState');
const tNow = translator('scheduled.now');
const tChanges = translator('changes');
const tPreview = translator('preview');
const tPage = translator('shared.page');
const tSections = translator('pageSections');
const tKinds = translator('sectionKinds');

test('publishing by hand shows problems first, and the menu of the page hides and deletes it', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const sections = [{ type: 'gallery', fields: {} }];
  const made = await page.request.post(`${server.url}/api/content/pages`, { data: { title: 'Hours', sections } });
  const { entry } = (await made.json()) as { entry: { id: string } };
  const read = async () => (await page.request.get(`${server.url}/api/content/pages/${entry.id}`)).json();
  await page.goto(server.url);
  await page.getByRole('button', { name: tPreview('pick') }).click();
  await page.getByRole('searchbox', { name: tPreview('pickSearch') }).fill('Hours');
  await page.getByRole('button', { name: /^Hours/ }).click();
  const hand = new PageUnderHand(page);
  await hand.ready();

  await page.getByRole('button', { name: tPage('publish'), exact: true }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('The gallery section is empty.');
  await question.getByRole('button', { name: tNow('anyway') }).click();
  await expect(question).toHaveCount(0);
  await expect.poll(async () => (await read()).status).toBe('published');

  // What a new section shows is an example in the language of the screens.
  await page.getByRole('button', { name: tPage('outline') }).click();
  await page
    .getByRole('button', { name: tSections('outline.add') })
    .first()
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: tKinds('opening-hours.name') })
    .click();
  await expect.poll(async () => (await read()).draft.sections.length).toBe(2);

  const choose = async (name: string, confirm: string) => {
    await page.getByRole('button', { name: tPreview('more'), exact: true }).click();
    await page.getByRole('menuitem', { name }).click();
    await question.getByRole('button', { name: confirm }).click();
    await expect(question).toHaveCount(0);
  };
  await choose(t('unpublish'), t('unpublish'));
  await expect.poll(async () => (await read()).status).toBe('draft');
  await choose(t('delete'), t('delete'));
  const toast = page.locator('[data-sonner-toast][data-front=true]');
  await expect(toast).toContainText(t('deleteDone', { title: 'Hours' }));
  await toast.getByRole('button', { name: tChanges('undo') }).click();
  // Until the page is restored, the server answers that there is none.
  await expect.poll(async () => (await read()).draft?.sections.length).toBe(2);
});
