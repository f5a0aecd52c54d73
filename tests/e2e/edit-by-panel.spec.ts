import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { fieldLabels, kindName, pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { deskPagePath, LIBRARY_PAGES_PATH } from '#components/workspace/navigation.ts';
import type { SectionType } from '#server/core/site/content';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom, stillBox } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';

const tNewPage = translator('newPage');
const tPageSettings = translator('pageSettings');
const tSectionPanel = translator('sectionPanel');
const tPageSections = translator('pageSections.outline');
const tAddSection = translator('addSection');
const tScheduleBar = translator('scheduleBar');
const t = translator('preview');
const tPages = translator('pages');
const tShared = translator('shared');

const panelOf = (page: Page, kind: SectionType) => page.getByRole('dialog', { name: kindName(kind) });

/** Opens the fields of a section by its row in the outline. */
async function editSection(page: Page, kind: SectionType, name: string): Promise<Locator> {
  await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  const row = page.getByRole('treeitem', { name: `${name} ${kindName(kind)}`, exact: true });
  await row.click();
  await row.press('Enter');
  const panel = panelOf(page, kind);
  await expect.poll(() => panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  return panel;
}

const saved = (panel: Locator) => expect(panel.locator('output').filter({ hasText: /^Saved$/ })).toBeVisible();

test('questions are added, moved and removed, and a picture is replaced by an upload', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  const sectionOf = async (kind: SectionType) =>
    (await api.get<PlacedEntry>(paths.entry('page', 'workshops'))).draft.sections.find(({ type }) => type === kind);
  const questions = async () => {
    const items = (await sectionOf('faq'))?.fields['items'] as { readonly question: string }[];
    return items.map(({ question }) => question);
  };
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  await expect(desk.preview.getByRole('heading', { name: 'Before you book' })).toBeVisible();
  const before = await questions();
  const panel = await editSection(page, 'faq', 'Before you book');
  const outline = page.getByRole('button', { name: tShared('page.outline'), exact: true });
  const place = (await stillBox(outline)).x;

  for (const [question, answer] of [
    ['May I bring a dog?', 'If it sits still.'],
    ['Is there parking?', 'Two places by the slipway.'],
  ] as const) {
    await panel
      .getByRole('button', { name: tSectionPanel('list.add', { item: 'Question', itemWithArticle: 'a question' }) })
      .click();
    // A new item takes the focus.
    const field = panel.getByLabel(fieldLabels('faq', 'question').label, { exact: true }).filter({ visible: true });
    await expect(field).toHaveValue('');
    await expect(field).toBeFocused();
    await page.keyboard.type(question);
    await expect(panel).toContainText(tSectionPanel('list.unfinished'));
    await panel.getByLabel(fieldLabels('faq', 'answer').label).filter({ visible: true }).fill(answer);
    await saved(panel);
    await expect(panel).not.toContainText(tSectionPanel('list.unfinished'));
    await expect(desk.preview.getByText(question)).toBeVisible();
  }
  await expect.poll(questions).toEqual([...before, 'May I bring a dog?', 'Is there parking?']);
  // What says that it is saved, and not yet published, moves none of the buttons.
  await expect(page.getByRole('button', { name: tScheduleBar('open') })).toBeVisible();
  expect((await stillBox(outline)).x).toBe(place);

  // What the server would not take stays here, with the reason; the rest is saved.
  const question = panel.getByLabel(fieldLabels('faq', 'question').label, { exact: true }).filter({ visible: true });
  await question.fill('');
  await expect(panel.getByRole('alert')).toHaveText('Must not be empty.');
  await question.fill('Is there parking nearby?');
  await expect(panel.getByRole('alert')).toHaveCount(0);
  await saved(panel);

  // Moved with the keyboard, then with the mouse.
  const handle = (name: string) =>
    panel.getByRole('button', { name: tSectionPanel('list.move', { title: name }), exact: true });
  await handle('Is there parking nearby?').press('ArrowUp');
  await expect(handle('Is there parking nearby?')).toBeFocused();
  await expect.poll(questions).toEqual([...before, 'Is there parking nearby?', 'May I bring a dog?']);
  await expect(handle('Is there parking nearby?')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect.poll(questions).toEqual([...before, 'May I bring a dog?', 'Is there parking nearby?']);
  const [first = '', second = ''] = before;
  const from = await stillBox(handle(first));
  const to = await stillBox(handle(second));
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 15, { steps: 5 });
  await page.mouse.up();
  await expect
    .poll(questions)
    .toEqual([second, first, ...before.slice(2), 'May I bring a dog?', 'Is there parking nearby?']);

  await panel.getByRole('button', { name: tSectionPanel('list.remove', { title: 'May I bring a dog?' }) }).click();
  await expect.poll(questions).toEqual([second, first, ...before.slice(2), 'Is there parking nearby?']);
  await expect(desk.preview.getByText('May I bring a dog?')).toHaveCount(0);
  await escapeFrom(panel);

  const opening = await editSection(page, 'hero', 'Learn to throw, slowly');
  const chooser = page.waitForEvent('filechooser');
  await opening.getByRole('button', { name: tSectionPanel('picture.upload') }).click();
  const buffer = await colouredPicture('#2b5bd7', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'wheel-room.png', mimeType: 'image/png', buffer }]);
  await expect
    .poll(async () => (await sectionOf('hero'))?.fields['image'])
    .toMatch(/^\/media\/ast_[a-z0-9]{6}\/wheel-room\.png$/);
  await expect(desk.preview.locator('img[src$="/wheel-room.png"]')).toBeVisible();
  await saved(opening);
  // Another one, from the library.
  await opening.getByRole('button', { name: tSectionPanel('picture.replace') }).click();
  const library = page.getByRole('dialog', { name: tSectionPanel('picture.dialog') });
  await expect(library.getByRole('button', { name: /^wheel-room\.png/ })).toBeVisible();
  await escapeFrom(library);
  await opening.getByRole('button', { name: tSectionPanel('picture.remove') }).click();
  await expect.poll(async () => (await sectionOf('hero'))?.fields['image'] ?? null).toBeNull();
});

test('a page gets another title, address and description, and says how a search engine shows it', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  await page.goto(`${server.url}${deskPagePath('/our-story')}`);
  await expect(desk.preview.getByText('It began with a leak')).toBeVisible();
  await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  await page.getByRole('button', { name: tPageSections('settings') }).click();
  const panel = page.getByRole('dialog', { name: tPageSettings('title') });
  await panel.getByLabel(pageFieldLabels('title').label, { exact: true }).fill('How it began');
  await panel.getByLabel(pageFieldLabels('excerpt').label).fill('A leak, a boathouse and a kiln.');
  const found = panel.getByRole('figure');
  await expect(found).toContainText('How it began · ');
  await expect(found).toContainText('A leak, a boathouse and a kiln.');
  await saved(panel);

  const address = panel.getByLabel(tPageSettings('address'), { exact: true });
  await expect(panel).toContainText(tPageSettings('addressRedirect', { path: '/our-story' }));
  await address.fill('How it began');
  await expect(panel.getByRole('alert')).toContainText('Must be lower-case words');
  await address.fill('how-it-began');
  await address.press('Enter');
  await expect(page.getByText(tPageSettings('addressChanged', { path: '/how-it-began' }))).toBeVisible();
  await expect(page.getByRole('button', { name: t('pick') })).toContainText('How it began');
  await expect(desk.preview.getByText('It began with a leak')).toBeVisible();
  await expect(panel).toBeVisible();

  await panel.getByLabel(pageFieldLabels('tags').label).fill('history, clay');
  await page.keyboard.press('Enter');
  await panel.getByLabel(tPageSettings('parent')).selectOption({ label: 'Visit us (/visit-us)' });
  await expect(page.getByText(tPageSettings('addressChanged', { path: '/visit-us/how-it-began' }))).toBeVisible();
  await panel.getByLabel(pageFieldLabels('seo.noIndex').label).click();
  await expect(found).toContainText(tPageSettings('searchHidden'));
  await saved(panel);
  // That may still be said of what was saved before.
  await expect
    .poll(() => api.get<PlacedEntry>(paths.entry('page', 'how-it-began')))
    .toMatchObject({
      path: '/visit-us/how-it-began',
      draft: {
        title: 'How it began',
        excerpt: 'A leak, a boathouse and a kiln.',
        tags: ['history', 'clay'],
        seo: { noIndex: true },
      },
    });
});

// Without the fixture `desk`: the browser reports the address that the server refuses.
test('a page is made from a kind and as a copy, gets a section, and is found in the library', async ({
  page,
  startScripted,
}) => {
  const desk = new Workspace(page);
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  await page.goto(server.url);
  await page.getByRole('button', { name: t('pick') }).click();
  await page.getByRole('button', { name: tShared('page.new'), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: tNewPage('title') });
  await dialog.getByRole('radio', { name: 'Contact' }).check();
  await expect(dialog.getByLabel(tNewPage('name'))).toHaveValue('Contact');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  // There is one already: the reason stands in the dialog, which keeps what was chosen.
  await expect(dialog.getByRole('alert')).toContainText('contact');
  await expect(dialog.getByRole('button', { name: tNewPage('save') })).toBeFocused();
  await dialog.getByLabel(tNewPage('name')).fill('Write to the studio');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  await expect(dialog).toHaveCount(0);
  await expect(desk.preview.getByRole('heading', { name: 'Get in touch' })).toBeVisible();

  await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  const outline = page.getByRole('dialog', { name: tShared('page.outline') });
  await outline.getByRole('button', { name: tPageSections('add') }).click();
  const kinds = page.getByRole('dialog', { name: tAddSection('title') });
  await kinds.getByRole('button', { name: kindName('quote') }).click();
  const panel = panelOf(page, 'quote');
  await panel.getByLabel(fieldLabels('quote', 'quote').label).fill('They answered within the hour.');
  await expect(desk.preview.getByText('They answered within the hour.')).toBeVisible();

  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('searchbox', { name: tPages('search') }).fill('write-to-the-studio');
  const row = page.getByRole('listitem').filter({ hasText: '/write-to-the-studio' });
  await expect(row).toContainText(tPages('states.draft'));
  await expect(page.getByRole('region', { name: tPages('types.page.title') }).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByText(tPages('types.post.none'))).toBeVisible();
  await row.getByRole('button', { name: tPages('menu', { title: 'Write to the studio' }) }).click();
  await page.getByRole('menuitem', { name: tPages('copy') }).click();
  await expect(dialog.getByLabel(tNewPage('name'))).toHaveValue(
    tNewPage('copyTitle', { title: 'Write to the studio' }),
  );
  await dialog.getByLabel(tNewPage('name')).fill('Write to the school');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  // It is open next to the assistant.
  await expect(desk.preview.getByText('They answered within the hour.')).toBeVisible();
  await expect(page.getByRole('button', { name: t('pick') })).toContainText('Write to the school');
  const copies = await Promise.all(
    ['write-to-the-studio', 'write-to-the-school'].map(async (slug) =>
      (await api.get<PlacedEntry>(paths.entry('page', slug))).draft.sections.map(({ type, fields }) => [type, fields]),
    ),
  );
  expect(copies[1]).toEqual(copies[0]);

  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('button', { name: tPages('new') }).click();
  await escapeFrom(dialog);
  await page.getByLabel(tPages('state')).selectOption({ label: tPages('states.published') });
  await expect(page.getByRole('link', { name: tPages('open', { title: 'Workshops' }) })).toBeVisible();
  await expect(page.getByRole('link', { name: tPages('open', { title: 'Write to the school' }) })).toHaveCount(0);
});
