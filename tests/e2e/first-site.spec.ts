import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { LIBRARY_SITE_PATH } from '#components/workspace/navigation.ts';
import { projectPath } from '#scripts/lib/project';
import { siteTexts } from '#server/core/messages/site-texts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test as base } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { escapeFrom } from '#tests/e2e/support/waits';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';

const t = translator('startSite');
const tStart = translator('start');
const tShared = translator('shared');
const tPreview = translator('preview');
const tPageState = translator('pageState');
const tPageSections = translator('pageSections');
const tAddSection = translator('addSection');
const tSiteSettings = translator('siteSettings');
const tList = translator('sectionPanel.list');

/** A section of each kind that the kit does not have, and of each layout that it does not use. */
const MORE_KINDS = [
  { type: 'text', fields: { heading: 'Zwei Spalten', body: 'Eins\n\nZwei\n\nDrei', layout: 'two-columns' } },
  { type: 'image', fields: { src: '/images/start-cafe.png', alt: 'Eine Tasse', layout: 'full-width' } },
  { type: 'steps', fields: { items: [{ title: 'Bestellen', body: 'Am Tresen' }], layout: 'columns' } },
  { type: 'logos', fields: { images: [{ src: '/images/start-shop.png', alt: 'Der Laden nebenan' }], layout: 'boxes' } },
  { type: 'table', fields: { rows: 'Sorte | Herkunft\nEspresso | Peru', caption: 'Bohnen' } },
  { type: 'downloads', fields: { items: [{ title: 'Die Karte', href: 'https://a.example/karte.pdf' }] } },
  { type: 'testimonials', fields: { items: [{ quote: 'Guter Kaffee', author: 'Mara' }] } },
  { type: 'video', fields: { href: 'https://youtu.be/aqz-KE-bpKQ', title: 'Der Ofen' } },
  { type: 'quote', fields: { quote: 'Frisch gebacken', author: 'Jonas', layout: 'boxed' } },
  { type: 'faq', fields: { items: [{ question: 'Offen?', answer: 'Ja' }], layout: 'open' } },
  {
    type: 'call-to-action',
    fields: { heading: 'Kommen Sie', buttonLabel: 'Zur Karte', buttonHref: '/karte', layout: 'centered' },
  },
  { type: 'form', fields: { heading: 'Fragen', layout: 'heading-beside' } },
  { type: 'posts-list', fields: { count: 3, layout: 'titles' } },
];

const test = base.extend<{ readonly started: { readonly server: AccountsServer; readonly site: string } }>({
  // Starts before the desk, whose console is read before the server stops.
  started: async ({ context }, use) => {
    const port = await freePort();
    const site = `http://zuckerhut.localhost:${port}`;
    const server = await startAccountsServer({ port, seed: false, env: { SITE_URL: site } });
    await takeCookie(context, server.people.owner.cookie, server.url);
    await use({ server, site });
    await server.stop();
  },
});

/** The site as files. */
function exported({ databaseFile }: AccountsServer, site: string) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-first-site-'));
  const ours = { ...accountsEnvironment(Number(new URL(site).port)), SITE_URL: site };
  const env = { ...process.env, ...ours, DATABASE_URL: `file:${databaseFile}` };
  execFileSync(process.execPath, ['scripts/export-site.ts', folder, '--url', 'https://zuckerhut.example'], {
    cwd: projectPath('.'),
    env,
  });
  return {
    page: (path: string) => readFileSync(join(folder, path, 'index.html'), 'utf8'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test('the owner of an empty site begins with a kit, publishes all and gets a message', async ({
  started: { server, site },
  desk,
  page,
  browser,
}) => {
  await page.goto(server.url);
  const start = page.getByRole('region', { name: t('title') });
  await expect(start).toBeVisible();
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeInViewport();
  await start.getByLabel(t('siteName.label')).fill('Zuckerhut');
  await start.getByLabel(t('language')).selectOption('de');
  await start.getByLabel(t('what.label')).fill('Ein kleines Café am Markt');
  await start.getByRole('button', { name: t('kits.cafe.name') }).click();
  const done = page.getByRole('region', { name: t('done.title') });
  await expect(done.getByRole('listitem')).toHaveCount(5);
  await expect(done).toBeFocused();
  await expect(desk.preview.getByText('Ein kleines Café am Markt').first()).toBeVisible();

  // Taken back as a whole, and made again.
  await done.getByRole('button', { name: t('done.undo') }).click();
  await expect(start.getByLabel(t('siteName.label'))).toHaveValue('Zuckerhut');
  await start.getByRole('button', { name: t('kits.cafe.name') }).click();
  await expect(done.getByRole('listitem')).toHaveCount(5);

  // A timetable by hand.
  await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
  const outline = page.getByRole('dialog', { name: tShared('page.outline') });
  await outline.getByRole('button', { name: tPageSections('outline.add') }).click();
  const kinds = page.getByRole('dialog', { name: tAddSection('title') });
  await kinds.getByRole('button', { name: new RegExp(`^${kindName('timetable')}`) }).click();
  const panel = page.getByRole('dialog', { name: kindName('timetable') });
  await expect(panel).toBeVisible();
  await escapeFrom(panel);

  // A page that the owner does not need is deleted, and its item taken out of the menu.
  await page.getByRole('button', { name: tPreview('pick') }).click();
  await page.getByRole('searchbox', { name: tPreview('pickSearch') }).fill('Über uns');
  await page.getByRole('button', { name: /^Über uns/ }).click();
  await page.getByRole('button', { name: tPreview('more'), exact: true }).click();
  await page.getByRole('menuitem', { name: tPageState('delete') }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: tPageState('delete') }).click();
  await expect(question).toHaveCount(0);

  const sections = MORE_KINDS;
  const headers = { origin: server.origin };
  const made = await page.request.post(`${server.url}/api/content/pages`, {
    data: { title: 'Mehr', sections },
    headers,
  });
  expect(made.ok(), await made.text()).toBe(true);

  await done.getByRole('button', { name: t('done.publish') }).click();
  await expect(question.getByRole('listitem').filter({ hasText: 'Karte' }).first()).toBeVisible();
  await question.getByRole('button', { name: /^Publish all/ }).click();
  await expect(page.locator('[data-sonner-toast][data-front=true]')).toContainText('5');

  await page.goto(`${server.url}${LIBRARY_SITE_PATH}`);
  const menu = page.getByRole('form', { name: tSiteSettings('menu.title') });
  await menu.getByRole('button', { name: tList('remove', { title: 'Über uns' }) }).click();
  await menu.getByRole('button', { name: tSiteSettings('save') }).click();
  await expect(page.getByText(tSiteSettings('menu.saved'))).toBeVisible();

  // A visitor with a phone, whose browser runs no scripts.
  const phone = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const visitor = await phone.newPage();
  await visitor.goto(site);
  expect(await visitor.locator('html').getAttribute('lang')).toBe('de');
  await visitor.getByRole('link', { name: 'Tisch reservieren' }).click();
  await visitor.getByLabel('Ihr Name').fill('Jonas');
  await visitor.getByLabel('E-Mail').fill('jonas@home.example');
  await visitor.getByLabel('Nachricht').fill('Samstag um zehn, zu viert');
  const thanks = visitor.getByText(siteTexts('de').form.thanks);
  // Sent too early, the form comes back with its values; sent again, it is accepted.
  await expect(async () => {
    const answered = visitor.waitForEvent('load');
    await visitor.getByRole('button', { name: 'Senden' }).click();
    await answered;
    expect(await thanks.isVisible()).toBe(true);
  }).toPass();
  await phone.close();

  {
    using files = exported(server, site);
    expect(files.page('besuch')).toContain('Montag – Freitag');
  }

  for (const path of ['', 'karte', 'besuch', 'kontakt', 'mehr']) {
    await page.goto(`${site}/${path}`);
    await expectAccessible(page);
    await expectAccessibleOnPhone(page);
  }
});
