import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { think } from '#tests/e2e/support/scripted-model';
import { expect, test } from '#tests/e2e/support/desk-test';

const t = translator('pages.replace');
const tSections = translator('pageSections');
const tAdd = translator('addSection');
const tCommand = translator('command');
const tPreview = translator('preview');
const tChanges = translator('changes');

test('an editor opens a page by its address, adds sections, finds its text and replaces words', async ({
  context,
  page,
  startScripted,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const { entry } = await api.createEntry('page', { title: 'Price list', slug: 'price-list' });
  const desk = new Workspace(page);

  await page.goto(`${server.url}/?page=price-list`);
  const add = page.getByRole('button', { name: tSections('outline.add'), exact: true });
  // An empty page has the button, too.
  await add.press('Enter');
  const kinds = page.getByRole('dialog', { name: tAdd('title') });
  await kinds
    .getByRole('button', { name: kindName('text') })
    .first()
    .press('Enter');
  await expect(kinds).toHaveCount(0);
  const sections = async () => (await api.get(paths.entry('page', entry.id))).draft.sections;
  await expect.poll(async () => (await sections()).length).toBe(1);
  const [section] = await sections();
  const body = 'A mug costs twelve euros, a bowl twenty.';
  await api.patchEntry('page', entry.id, {
    operations: [{ op: 'set-section', sectionId: section!.id, fields: { body } }],
  });

  await desk.chooseOfPage(tPreview('copyAddress'));
  const address = await page.evaluate(() => navigator.clipboard.readText());
  expect(address).toBe(`${server.url}/?page=price-list`);
  await page.goto(`${server.url}/?page=/`);
  await expect(desk.composer).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(tCommand('placeholder')).fill('twelve euros');
  await expect(page.getByRole('option', { selected: true })).toContainText('Price list');
  await page.keyboard.press('Enter');
  await expect(desk.preview.getByText(body)).toBeVisible();

  await page.goto(`${server.url}/library/pages`);
  const open = page.getByRole('button', { name: t('button') });
  // Until it is known what the user may do, it is disabled.
  await expect(open).toBeEnabled();
  await open.press('Enter');
  const dialog = page.getByRole('dialog', { name: t('title') });
  await dialog.getByLabel(t('find')).fill('twelve euros');
  await dialog.getByLabel(t('with'), { exact: true }).fill('fourteen euros');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('deletion')).toContainText('twelve euros');
  await expect(dialog.getByRole('insertion')).toContainText('fourteen euros');
  await dialog.getByRole('button', { name: t('replace', { count: 1 }) }).press('Enter');
  await expect(page.getByText(t('done', { count: 1 }))).toBeVisible();
  const text = async () => (await sections())[0]?.fields['body'];
  expect(await text()).toContain('fourteen');
  await page.getByRole('button', { name: tChanges('undo') }).click();
  await expect.poll(text).toBe(body);
});
