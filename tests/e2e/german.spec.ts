import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { englishOn, lookForGerman } from '#tests/e2e/support/in-german';

const t = translator('shared');

test.use({ locale: 'de-DE' });

const HEADING = 'Von Hand gemacht, für lange gemacht';

test('a user with a German browser edits in German, and switches the interface by keyboard', async ({
  page,
  startScripted,
}) => {
  let sectionId = '';
  const { server } = await startScripted((request) => {
    if (request.messages.at(-1)?.role === 'tool') return { text: 'Die Überschrift ist geändert.' };
    return { toolCalls: [{ id: 'c1', name: 'update_section', input: { sectionId, fields: { heading: HEADING } } }] };
  });
  const home = await createApiClient({ baseUrl: server.url }).get<PlacedEntry>(paths.entry('page', 'home'));
  sectionId = home.draft.sections.find(({ type }) => type === 'hero')!.id;
  const lookForEnglish = lookForGerman();
  try {
    const desk = new Workspace(page);
    await page.goto(server.url);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await desk.ask(`Ändere die Überschrift auf der Startseite in „${HEADING}“`);
    await expect(desk.tool('Überschrift auf „Home“ geändert')).toBeVisible();
    await expect(desk.answers.last()).toContainText('Die Überschrift ist geändert.');
    await expect(desk.preview.getByRole('heading', { level: 1, name: HEADING })).toBeVisible();
    expect(await englishOn(page)).toEqual([]);

    await page.getByRole('button', { name: t('language.label'), exact: true }).press('Enter');
    await expect(page.getByRole('menuitemradio', { name: t('language.auto') })).toBeChecked();
    await page.getByRole('menuitemradio', { name: 'English' }).press('Enter');
  } finally {
    lookForEnglish();
  }
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  const desk = new Workspace(page);
  await expect(desk.requests).toHaveCount(1);
  await expect(desk.tool('Changed heading on Home')).toBeVisible();
  await page.getByRole('button', { name: t('language.label'), exact: true }).press('Enter');
  await expect(page.getByRole('menuitemradio', { name: 'English' })).toBeChecked();
  await page.getByRole('menuitemradio', { name: t('language.auto') }).press('Enter');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});
