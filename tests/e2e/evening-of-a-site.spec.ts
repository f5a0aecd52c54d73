import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from '@playwright/test';
import { fieldLabels, kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import { LIBRARY_MESSAGES_PATH } from '#components/workspace/navigation.ts';
import { projectPath } from '#scripts/lib/project';
import { expect, test as base } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { escapeFrom } from '#tests/e2e/support/waits';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { startFileServer } from '#tests/support/file-server';
import { freePort } from '#tests/support/free-port';
import { photograph } from '#tests/support/pictures';
import type { ParsedRequest } from '#tests/support/request-log';

const tFormMessages = translator('formMessages');

const FORM = {
  heading: 'Come to the open studio',
  fields: [
    { label: 'Your name', kind: 'text', required: true },
    { label: 'E-mail', kind: 'email', required: true },
  ],
  submitLabel: 'Put my name down',
};

/** Makes the page with its form, and publishes it when it is asked to. */
function assistant(request: ParsedRequest) {
  if (request.messages.at(-1)?.role === 'tool') return { text: 'Done.' };
  if (newestRequest(request).includes('Publish'))
    return { toolCalls: [{ id: 'c2', name: 'publish_content', input: { ref: 'open-studio' } }] };
  const sections = [{ type: 'form', fields: FORM }];
  return {
    toolCalls: [{ id: 'c1', name: 'create_content', input: { type: 'page', title: 'Open studio', sections } }],
  };
}

const tSectionPanel = translator('sectionPanel');
const tAddSection = translator('addSection');
const tPageSections = translator('pageSections');
const t = translator('shared');
const saved = (panel: Locator) => expect(panel.locator('output').filter({ hasText: /^Saved$/ })).toBeVisible();

async function editSection(page: Page, kind: 'form', name: string): Promise<Locator> {
  await page.getByRole('button', { name: t('page.outline'), exact: true }).click();
  const row = page.getByRole('treeitem', { name: `${name} ${kindName(kind)}`, exact: true });
  await row.click();
  await row.press('Enter');
  return page.getByRole('dialog', { name: kindName(kind) });
}

/** A server with the site under its own host. */
interface Started {
  readonly server: AccountsServer;
  readonly site: string;
}

const test = base.extend<{ readonly started: Started }>({
  // Starts before the desk, whose console is read before the server stops. Its owner has signed in.
  started: async ({ context }, use) => {
    const provider = await startFakeOpenRouter({ respond: assistant });
    const port = await freePort();
    const site = `http://kiln.localhost:${port}`;
    const env = {
      SITE_URL: site,
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'openai/gpt-4o',
    };
    const server = await startAccountsServer({ port, seed: true, env });
    await takeCookie(context, server.people.owner.cookie, server.url);
    await use({ server, site });
    await server.stop();
    await provider.close();
  },
});

/** A visitor whose browser runs no scripts. */
async function openVisitor(browser: Browser) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  return { visitor: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
}

/** The site as files, its forms sent to the server. */
function exportSite({ databaseFile }: AccountsServer, site: string) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-evening-'));
  const ours = { ...accountsEnvironment(Number(new URL(site).port)), SITE_URL: site };
  const env = { ...process.env, ...ours, DATABASE_URL: `file:${databaseFile}` };
  const args = ['scripts/export-site.ts', folder, '--url', 'https://kiln.example'];
  const said = execFileSync(process.execPath, args, { cwd: projectPath('.'), env, encoding: 'utf8' });
  return { folder, said, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Sees the page’s pictures in sizes that fit, and its form; sends the form, and is thanked. */
async function fillIn(visitor: Page, name: string): Promise<void> {
  const pictures = visitor.locator('.site-gallery img');
  await expect(pictures).toHaveCount(2);
  const cropped = visitor.getByRole('img', { name: 'The kiln' });
  expect(await cropped.getAttribute('srcset')).toMatch(/\/400-0-0-\d+-100\.webp 400w, .*\.webp \d+w$/);
  expect(Number(await cropped.getAttribute('width'))).toBeLessThan(900);
  expect(await cropped.getAttribute('height')).toBe('600');
  expect(await cropped.getAttribute('style')).toContain('object-position');
  const whole = visitor.getByRole('img', { name: 'The wheel' });
  expect([await whole.getAttribute('width'), await whole.getAttribute('height')]).toEqual(['900', '600']);
  for (const picture of [cropped, whole]) {
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0))
      .toBe(true);
    const taken = await picture.evaluate((image: HTMLImageElement) => image.currentSrc);
    expect(taken).toMatch(/\/media\/ast_\w+\/[0-9a-f]{16}\/[\d-]+\.(avif|webp)$/);
  }
  const send = visitor.getByRole('button', { name: FORM.submitLabel });
  await visitor.getByLabel('Your name').fill(name);
  await visitor.getByLabel('E-mail').fill('mara@home.example');
  await visitor.getByLabel('Which evening?').selectOption('Saturday');
  // Sent too early, the form comes back with its values; sent again, it is accepted.
  const taken = visitor.getByText('See you there. Bring an apron.');
  await expect(async () => {
    const answered = visitor.waitForEvent('load');
    await send.click();
    await answered;
    expect(await taken.isVisible()).toBe(true);
  }).toPass();
  await expect(visitor.getByText(siteTexts('en').form.refused.fast)).toHaveCount(0);
  await expect(send).toHaveCount(0);
}

const shown = { visible: true };

/** Adds a question with a choice and thanks to the form. */
async function addChoice(page: Page, form: Locator): Promise<void> {
  await form
    .getByRole('button', { name: tSectionPanel('list.add', { item: 'Field', itemWithArticle: 'a field' }) })
    .click();
  // A new item takes the focus.
  const label = form.getByLabel(fieldLabels('form', 'label').label, { exact: true }).filter(shown);
  await expect(label).toHaveValue('');
  await expect(label).toBeFocused();
  await page.keyboard.type('Which evening?');
  await form.getByLabel(fieldLabels('form', 'kind').label).filter(shown).selectOption('choice');
  const options = form.getByLabel(fieldLabels('form', 'options').label).filter(shown);
  for (const option of ['Friday, from six', 'Saturday']) {
    await options.fill(option);
    await options.press('Enter');
  }
  await form.getByLabel(fieldLabels('form', 'thanks').label, { exact: true }).fill('See you there. Bring an apron.');
  await saved(form);
}

/** Adds a gallery with two pictures from this computer. */
async function addGallery(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: t('page.outline'), exact: true }).click();
  const outline = page.getByRole('dialog', { name: t('page.outline') });
  await outline.getByRole('button', { name: tPageSections('outline.add') }).click();
  const kinds = page.getByRole('dialog', { name: tAddSection('title') });
  await kinds.getByRole('button', { name: new RegExp(`^${kindName('gallery')}`) }).click();
  const gallery = page.getByRole('dialog', { name: kindName('gallery') });
  for (const [name, colour] of [
    ['wheel', '#b5651d'],
    ['kiln', '#2b5bd7'],
  ] as const) {
    await gallery
      .getByRole('button', { name: tSectionPanel('list.add', { item: 'Picture', itemWithArticle: 'a picture' }) })
      .click();
    const chooser = page.waitForEvent('filechooser');
    await gallery
      .getByRole('button', { name: tSectionPanel('picture.upload') })
      .filter(shown)
      .click();
    const buffer = await photograph(colour, { width: 900, height: 600 });
    await (await chooser).setFiles([{ name: `${name}.jpg`, mimeType: 'image/jpeg', buffer }]);
    await gallery.getByLabel(fieldLabels('gallery', 'alt').label).filter(shown).fill(`The ${name}`);
    await saved(gallery);
  }
  return gallery;
}

/** Crops the picture of the open item with the keys alone: the right edge moves in, the point to the left. */
async function crop(page: Page, gallery: Locator): Promise<void> {
  await gallery
    .getByRole('button', { name: tSectionPanel('picture.crop.open') })
    .filter(shown)
    .click();
  const dialog = page.getByRole('dialog', { name: tSectionPanel('picture.crop.title') });
  await dialog.getByLabel(tSectionPanel('picture.crop.handles.eDragHandle')).press('Control+ArrowLeft');
  await dialog.getByLabel(tSectionPanel('picture.crop.point', { x: 50, y: 50 })).press('ArrowLeft');
  await expect(dialog.getByLabel(tSectionPanel('picture.crop.point', { x: 48, y: 50 }))).toBeFocused();
  // What was chosen is not lost to a key.
  await page.keyboard.press('Escape');
  const unsaved = page.getByRole('alertdialog', { name: t('unsaved.title') });
  await unsaved.getByRole('button', { name: t('common.cancel') }).click();
  await expect(unsaved).toHaveCount(0);
  await dialog.getByRole('button', { name: tSectionPanel('picture.crop.save') }).click();
  await expect(dialog).toHaveCount(0);
  await expect(gallery.getByText(tSectionPanel('picture.part')).filter(shown)).toBeVisible();
  await saved(gallery);
}

test('a page with a form and gallery is made, published, exported and answered by visitors', async ({
  started: { server, site },
  desk,
  page,
  browser,
}) => {
  await page.goto(server.url);

  // By chat: the page and its form.
  await desk.ask('Make a page for the open studio, with a form for name and e-mail');
  await expect(desk.preview.getByRole('heading', { name: FORM.heading })).toBeVisible();
  await expect(desk.preview.getByLabel('Your name')).toBeVisible();

  // By hand: one more question in the form, and a gallery.
  const form = await editSection(page, 'form', FORM.heading);
  await addChoice(page, form);
  await expect(desk.preview.getByLabel('Which evening?')).toBeVisible();
  await escapeFrom(form);
  const gallery = await addGallery(page);
  await crop(page, gallery);
  await escapeFrom(gallery);

  // Nothing of it is public yet.
  await using opened = await openVisitor(browser);
  const { visitor } = opened;
  expect((await visitor.goto(`${site}/open-studio`))?.status()).toBe(404);
  await desk.ask('Publish it');
  await desk.approve();

  // Under the site's own host, and as files on a plain server, whose form is sent to that host.
  expect((await visitor.goto(`${site}/open-studio`))?.status()).toBe(200);
  await fillIn(visitor, 'Mara "the potter" <b>');
  {
    using files = exportSite(server, site);
    expect(files.said).toContain(`Forms are sent to ${site}`);
    await using plain = await startFileServer(files.folder);
    await visitor.goto(`${plain.url}/open-studio/`);
    await fillIn(visitor, 'Jonas');
    expect(new URL(visitor.url()).origin).toBe(site);
  }

  // Found by who keeps the studio.
  await page.goto(`${server.url}${LIBRARY_MESSAGES_PATH}`);
  const line = page.getByRole('list', { name: tFormMessages('list') }).getByRole('listitem');
  await expect(line).toHaveCount(2);
  await expect(line.first()).toContainText('Jonas');
  await page.getByRole('searchbox', { name: tFormMessages('search') }).fill('potter');
  await expect(line).toHaveCount(1);
  await expect(line).toContainText(tFormMessages('unread'));
  await line.getByRole('button', { expanded: false }).click();
  await expect(line).toContainText('Saturday');
  await expect(line).toContainText('mara@home.example');
  await expect(line.getByRole('link')).toHaveCount(0);
  await expect(line).not.toContainText(tFormMessages('unread'));
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: tFormMessages('export') }).click();
  expect((await downloading).suggestedFilename()).toBe('messages.csv');
});
