import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { fieldLabels } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test as base } from '#tests/e2e/support/desk-test';
import { lookForGerman } from '#tests/e2e/support/in-german';
import { Owner } from '#tests/e2e/support/owner';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { pressUntil } from '#tests/e2e/support/waits';
import { isDeep } from '#tests/support/deep';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { colouredPicture } from '#tests/support/pictures';

const t = translator('startSite');
const tStart = translator('start');
const tPreview = translator('preview');
const tPageState = translator('pageState');
const tDesign = translator('design');
const tFiles = translator('import.files');
const tFormMessages = translator('formMessages');
const tImport = translator('import');
const tPicture = translator('sectionPanel.picture');
const tLibrary = translator('library');

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

/** The field of the section or of its open item. */
const visibleField = (panel: Locator, label: string) =>
  panel.getByLabel(label, { exact: true }).filter({ visible: true }).first();

/** Clicks of each step; docs/internals/usability.md has the same figures. */
const CLICKS = {
  brief: 7,
  undo: 1,
  logo: 2,
  theme: 2,
  page: 2,
  prices: 6,
  timetable: 4,
  hours: 6,
  map: 7,
  deletion: 3,
  publish: 3,
  message: 3,
  export: 3,
};

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="80"><rect width="80" height="80" rx="40" fill="#8c1c2b"/><rect x="100" y="24" width="200" height="32" fill="#2a1a17"/></svg>`;

/** Sees the site on a phone whose browser runs no scripts, and sends its form. */
async function visit(visitor: Page, site: string): Promise<void> {
  const fits = async () =>
    expect(await visitor.locator('html').evaluate((page) => page.scrollWidth <= page.clientWidth)).toBe(true);
  await visitor.goto(site);
  await expect(visitor.locator('html')).toHaveAttribute('lang', 'de');
  await expect(visitor.getByRole('img', { name: 'Zuckerhut' })).toBeVisible();
  await fits();
  const menu = visitor.locator('.site-header').getByRole('group');
  await menu.locator('summary').click();
  await expect(menu.getByRole('link')).toHaveText(['Karte', 'Besuch', 'Kontakt']);
  await fits();
  await menu.getByRole('link', { name: 'Karte' }).click();
  await expect(visitor.getByText('Zimtschnecke mit Sahne')).toBeVisible();
  await expect(visitor.getByText('4,20 €').first()).toBeVisible();
  await expect(visitor.getByRole('heading', { name: 'Backkurs' })).toBeVisible();
  await fits();
  await visitor.goto(`${site}/besuch`);
  await expect(visitor.getByText('08:00 – 17:00')).toBeVisible();
  await expect(visitor.getByRole('img', { name: 'Plan mit dem Marktplatz' })).toBeVisible();
  await expect(visitor.getByRole('link', { name: siteTexts('de').openMap })).toHaveAttribute('href', MAP_ADDRESS);
  const facts = await visitor.locator('script[type="application/ld+json"]').allTextContents();
  expect(facts.join(' ')).toContain('"opens":"08:00"');
  await fits();

  await visitor.goto(site);
  await visitor.getByRole('link', { name: 'Tisch reservieren' }).first().click();
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
  await fits();
}

const MAP_ADDRESS = 'https://www.openstreetmap.org/node/240109189';

/** Answers the questions about the site, takes the site back as a whole, and makes it again by keyboard alone. */
async function beginWithKit(owner: Owner, page: Page): Promise<Locator> {
  const start = page.getByRole('region', { name: t('title') });
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeInViewport();
  owner.begin('brief');
  await owner.write(start.getByLabel(t('siteName.label')), 'Zuckerhut');
  await owner.choose(start.getByLabel(t('language')), 'de');
  await owner.write(start.getByLabel(t('what.label')), 'Ein kleines Café am Markt');
  await owner.write(start.getByLabel(t('audience.label')), 'Für alle, die einen ruhigen Tisch suchen');
  await owner.write(start.getByLabel(t('action.label')), 'Tisch reservieren');
  await owner.press(start.getByRole('button', { name: t('kits.cafe.name') }));
  const done = page.getByRole('region', { name: t('done.title') });
  await expect(done.getByRole('listitem')).toHaveCount(5);
  await expect(done).toBeFocused();

  owner.begin('undo');
  await owner.press(done.getByRole('button', { name: t('done.undo') }));
  await expect(start.getByLabel(t('siteName.label'))).toHaveValue('Zuckerhut');
  await expect(start).toBeFocused();
  await expectAccessible(page);
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return `${element?.textContent ?? ''}\n${element?.outerHTML ?? ''}`;
    });
  await pressUntil(page, 'Tab', focused, (state) => state.startsWith(t('kits.cafe.name')));
  await page.keyboard.press('Enter');
  await expect(done.getByRole('listitem')).toHaveCount(5);
  await expectAccessible(page);
  return done;
}

/** A logo as the printer sent it, and another theme. */
async function chooseDesign(owner: Owner, page: Page, done: Locator): Promise<void> {
  owner.begin('logo');
  await owner.press(done.getByRole('link', { name: t('done.design') }));
  const design = page.getByRole('form', { name: tDesign('title') });
  const logo = design.locator('[data-panel]').first();
  await owner.upload(logo.getByRole('button', { name: tPicture('upload') }), {
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(LOGO),
  });
  const shown = page.frameLocator('iframe:not([aria-hidden])').locator('.site');
  await expect(shown.locator('.site-logo')).toBeVisible();
  owner.begin('theme');
  await owner.press(design.getByRole('button', { name: tDesign('themes.names.studio') }));
  await expect(shown).toHaveAttribute('data-header', 'centered');
  await owner.press(design.getByRole('button', { name: tDesign('save') }));
  await expect(design.getByText(tDesign('state.draft'))).toBeVisible();
  await page.getByRole('link', { name: tLibrary('shell.back') }).click();
}

/** On the price list: another price, and below it a timetable. */
async function writePrices(owner: Owner): Promise<void> {
  owner.begin('prices');
  await owner.openPage('Karte');
  const prices = await owner.editSection('price-list');
  await owner.press(prices.getByRole('button', { expanded: false }).first());
  await owner.write(visibleField(prices, fieldLabels('price-list', 'title').label), 'Zimtschnecke mit Sahne');
  await owner.write(visibleField(prices, fieldLabels('price-list', 'price').label), '4,20 €');
  await owner.closeSaved(prices);
  owner.begin('timetable');
  const timetable = await owner.addSection('timetable');
  await owner.write(visibleField(timetable, fieldLabels('timetable', 'heading').label), 'Backkurs');
  await owner.closeSaved(timetable);
}

/** When it is open and where it is. */
async function writeVisit(owner: Owner): Promise<void> {
  owner.begin('hours');
  await owner.openPage('Besuch');
  const hours = await owner.editSection('opening-hours');
  await owner.press(hours.getByRole('button', { expanded: false }).first());
  await owner.write(visibleField(hours, fieldLabels('opening-hours', 'opens').label), '08:00');
  await owner.write(visibleField(hours, fieldLabels('opening-hours', 'closes').label), '17:00');
  await owner.closeSaved(hours);
  owner.begin('map');
  const map = await owner.editSection('map');
  await owner.upload(map.getByRole('button', { name: tPicture('upload') }), {
    name: 'plan.png',
    mimeType: 'image/png',
    buffer: await colouredPicture('#cfd8c8', { width: 900, height: 500 }),
  });
  await owner.write(visibleField(map, fieldLabels('map', 'imageAlt').label), 'Plan mit dem Marktplatz');
  await owner.write(visibleField(map, fieldLabels('map', 'href').label), MAP_ADDRESS);
  await owner.write(visibleField(map, fieldLabels('map', 'address').label), 'Markt 4\n12345 Auen');
  await owner.closeSaved(map);
}

/** Deletes a page that nobody needs, and publishes the others. */
async function publishSite(owner: Owner, page: Page, { url, origin }: AccountsServer): Promise<void> {
  owner.begin('deletion');
  await owner.openPage('Über uns');
  await owner.press(page.getByRole('button', { name: tPreview('more'), exact: true }));
  await owner.press(page.getByRole('menuitem', { name: tPageState('delete') }));
  const question = page.getByRole('alertdialog');
  await owner.press(question.getByRole('button', { name: tPageState('delete') }));
  await expect(page.getByText(tPageState('deleteDone', { title: 'Über uns' }))).toBeVisible();

  // A section of each kind and layout that the kit does not have, for the checks of the public pages.
  const data = { title: 'Mehr', sections: MORE_KINDS };
  const made = await page.request.post(`${url}/api/content/pages`, { data, headers: { origin } });
  expect(made.ok(), await made.text()).toBe(true);
  await page.reload();

  owner.begin('publish');
  await owner.press(page.getByRole('button', { name: tPreview('more'), exact: true }));
  await owner.press(page.getByRole('menuitem', { name: tPageState('publishAll', { count: 6 }) }));
  await expect(question.getByRole('listitem').filter({ hasText: 'Karte' }).first()).toBeVisible();
  await owner.press(question.getByRole('button').last());
  await expect(page.locator('[data-sonner-toast][data-front=true]')).toContainText('5');
}

/** Reads the message of a visitor, and saves the site as files. */
async function readMessageAndExport(owner: Owner, page: Page): Promise<void> {
  owner.begin('message');
  await owner.openLibrary(tFormMessages('title'));
  const message = page.getByRole('list', { name: tFormMessages('list') }).getByRole('listitem');
  await owner.press(message.getByRole('button', { expanded: false }));
  await expect(message).toContainText('Samstag um zehn, zu viert');

  owner.begin('export');
  await owner.press(page.getByRole('link', { name: tImport('tab') }));
  await owner.write(page.getByLabel(tFiles('url')), 'https://zuckerhut.example');
  const downloading = page.waitForEvent('download');
  await owner.press(page.getByRole('button', { name: tFiles('download') }));
  const files = readFileSync(await (await downloading).path(), 'latin1');
  // A ZIP has the names of its files as plain text.
  for (const name of ['index.html', 'karte/index.html', 'besuch/index.html', 'sitemap.xml'])
    expect(files).toContain(name);
  expect(files).not.toContain('ueber-uns/index.html');
}

// In `npm test` with German screens only: other journeys use the same screens in English.
for (const language of isDeep ? (['en', 'de'] as const) : (['de'] as const))
  test.describe(`with screens in ${language}`, () => {
    test.use({ locale: language === 'de' ? 'de-DE' : 'en-GB' });
    let lookForEnglish: () => void = () => undefined;
    test.beforeEach(() => {
      if (language === 'de') lookForEnglish = lookForGerman();
    });
    test.afterEach(() => lookForEnglish());

    test(`the owner of an empty site has it seen, answered and exported in an evening (${language})`, async ({
      started: { server, site },
      desk,
      page,
      browser,
    }) => {
      const owner = new Owner(page);
      await page.goto(server.url);
      const done = await beginWithKit(owner, page);
      await expect(desk.preview.getByText('Ein kleines Café am Markt').first()).toBeVisible();
      await chooseDesign(owner, page, done);
      await writePrices(owner);
      await writeVisit(owner);
      await publishSite(owner, page, server);
      const phone = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
      await visit(await phone.newPage(), site);
      await phone.close();
      await readMessageAndExport(owner, page);
      expect(owner.clicks).toEqual(CLICKS);

      for (const path of ['', 'karte', 'besuch', 'kontakt', 'mehr']) {
        await page.goto(`${site}/${path}`);
        await expectAccessible(page);
        await expectAccessibleOnPhone(page);
      }
    });
  });
