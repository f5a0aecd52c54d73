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
import { escapeFrom, stillBox, untilFocused } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';

const tNewPage = translator('newPage');
const tPageSettings = translator('pageSettings');
const tSectionPanel = translator('sectionPanel');
const tPageSections = translator('pageSections.outline');
const tAddSection = translator('addSection');
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
  await untilFocused(panel);
  return panel;
}

const saved = (panel: Locator) => expect(panel.locator('output').filter({ hasText: /^Saved$/ })).toBeVisible();

/** A field of the section or of its open item. */
const fieldOf = (panel: Locator, label: string) => panel.getByLabel(label, { exact: true }).filter({ visible: true });

/** Drags a handle below another one. */
async function dragBelow(page: Page, handle: Locator, other: Locator): Promise<void> {
  const [from, to] = [await stillBox(handle), await stillBox(other)];
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 15, { steps: 5 });
  await page.mouse.up();
}

test('questions are added, moved and removed, and a picture is uploaded, replaced and removed', async ({
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
  const [first = '', second = '', ...rest] = await questions();
  const panel = await editSection(page, 'faq', 'Before you book');

  // A new item takes the focus, and is saved once it is complete.
  const asked = 'Is there parking?';
  await panel
    .getByRole('button', { name: tSectionPanel('list.add', { item: 'Question', itemWithArticle: 'a question' }) })
    .click();
  const question = fieldOf(panel, fieldLabels('faq', 'question').label);
  await expect(question).toHaveValue('');
  await expect(question).toBeFocused();
  await page.keyboard.type(asked);
  await expect(panel).toContainText(tSectionPanel('list.unfinished'));
  await fieldOf(panel, fieldLabels('faq', 'answer').label).fill('Two places by the slipway.');
  await expect(desk.preview.getByText(asked)).toBeVisible();
  await expect(panel).not.toContainText(tSectionPanel('list.unfinished'));
  await expect.poll(questions).toEqual([first, second, ...rest, asked]);

  // What the server would not take stays here, with the reason.
  await question.fill('');
  await expect(panel.getByRole('alert')).toHaveText('Must not be empty.');
  await question.fill(asked);
  await expect(panel.getByRole('alert')).toHaveCount(0);

  // Moved with the keyboard, then with the mouse.
  const handle = (title: string) =>
    panel.getByRole('button', { name: tSectionPanel('list.move', { title }), exact: true });
  await handle(asked).press('ArrowUp');
  await expect.poll(questions).toEqual([first, second, ...rest.slice(0, -1), asked, ...rest.slice(-1)]);
  await expect(handle(asked)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect.poll(questions).toEqual([first, second, ...rest, asked]);
  await dragBelow(page, handle(first), handle(second));
  await expect.poll(questions).toEqual([second, first, ...rest, asked]);
  await panel.getByRole('button', { name: tSectionPanel('list.remove', { title: asked }) }).click();
  await expect.poll(questions).toEqual([second, first, ...rest]);
  await expect(desk.preview.getByText(asked)).toHaveCount(0);
  await escapeFrom(panel);

  const opening = await editSection(page, 'hero', 'Learn to throw, slowly');
  const chooser = page.waitForEvent('filechooser');
  await opening.getByRole('button', { name: tSectionPanel('picture.upload') }).click();
  const buffer = await colouredPicture('#2b5bd7', { width: 320, height: 200 });
  await (await chooser).setFiles([{ name: 'wheel-room.png', mimeType: 'image/png', buffer }]);
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

// Without the fixture `desk`: the browser reports the address that the server refuses.
test('a page is made from a kind, gets a section and settings, and is copied in the library', async ({
  page,
  startScripted,
}) => {
  const desk = new Workspace(page);
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  const read = (slug: string) => api.get<PlacedEntry>(paths.entry('page', slug));
  await page.goto(server.url);
  // The preview comes with the scripts of the page; a click before them is lost.
  await expect(desk.preview.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByRole('button', { name: t('pick') }).click();
  await page.getByRole('button', { name: tShared('page.new'), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: tNewPage('title') });
  await dialog.getByRole('radio', { name: 'Contact' }).check();
  await expect(dialog.getByLabel(tNewPage('name'))).toHaveValue('Contact');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  // There is one already: the reason stands in the dialog, which keeps what was chosen.
  await expect(dialog.getByRole('alert')).toContainText('contact');
  await dialog.getByLabel(tNewPage('name')).fill('Write to the studio');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  await expect(dialog).toHaveCount(0);
  await expect(desk.preview.getByRole('heading', { name: 'Get in touch' })).toBeVisible();

  const openOutline = () => page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  await openOutline();
  const outline = page.getByRole('dialog', { name: tShared('page.outline') });
  await outline.getByRole('button', { name: tPageSections('add') }).click();
  const kinds = page.getByRole('dialog', { name: tAddSection('title') });
  await kinds.getByRole('button', { name: kindName('quote') }).click();
  const quote = panelOf(page, 'quote');
  await quote.getByLabel(fieldLabels('quote', 'quote').label).fill('They answered within the hour.');
  await expect(desk.preview.getByText('They answered within the hour.')).toBeVisible();
  await saved(quote);
  await escapeFrom(quote);

  await openOutline();
  await page.getByRole('button', { name: tPageSections('settings') }).click();
  const panel = page.getByRole('dialog', { name: tPageSettings('title') });
  await panel.getByLabel(pageFieldLabels('title').label, { exact: true }).fill('Letters');
  await panel.getByLabel(pageFieldLabels('excerpt').label).fill('How to write to us.');
  const found = panel.getByRole('figure');
  await expect(found).toContainText('Letters · ');
  await expect(found).toContainText('How to write to us.');
  const address = panel.getByLabel(tPageSettings('address'), { exact: true });
  await address.fill('Our letters');
  await expect(panel.getByRole('alert')).toContainText('Must be lower-case words');
  await address.fill('letters');
  await address.press('Enter');
  await expect(page.getByText(tPageSettings('addressChanged', { path: '/letters' }))).toBeVisible();
  await panel.getByLabel(tPageSettings('parent')).selectOption({ label: 'Visit us (/visit-us)' });
  await expect(page.getByText(tPageSettings('addressChanged', { path: '/visit-us/letters' }))).toBeVisible();
  await panel.getByLabel(pageFieldLabels('tags').label).fill('history, clay');
  await page.keyboard.press('Enter');
  await panel.getByLabel(pageFieldLabels('seo.noIndex').label).click();
  await expect(found).toContainText(tPageSettings('searchHidden'));
  await expect
    .poll(() => read('letters'))
    .toMatchObject({
      path: '/visit-us/letters',
      draft: { title: 'Letters', excerpt: 'How to write to us.', seo: { noIndex: true }, tags: ['history', 'clay'] },
    });

  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('searchbox', { name: tPages('search') }).fill('letters');
  const row = page.getByRole('listitem').filter({ hasText: '/visit-us/letters' });
  await expect(row).toContainText(tPages('states.draft'));
  await row.getByRole('button', { name: tPages('menu', { title: 'Letters' }) }).click();
  await page.getByRole('menuitem', { name: tPages('copy') }).click();
  await expect(dialog.getByLabel(tNewPage('name'))).toHaveValue(tNewPage('copyTitle', { title: 'Letters' }));
  await dialog.getByLabel(tNewPage('name')).fill('Write to the school');
  await dialog.getByRole('button', { name: tNewPage('save') }).click();
  // It is open next to the assistant.
  await expect(desk.preview.getByText('They answered within the hour.')).toBeVisible();
  await expect(page.getByRole('button', { name: t('pick') })).toContainText('Write to the school');
  const fieldsOf = async (slug: string) => (await read(slug)).draft.sections.map(({ type, fields }) => [type, fields]);
  expect(await fieldsOf('write-to-the-school')).toEqual(await fieldsOf('letters'));
});
