import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderSiteDocument } from '#components/content/render-site-page';
import { POSTS_SEGMENT } from '#server/core/addresses';
import { siteTexts, siteTextsByLanguage } from '#server/core/messages/site-texts';
import { EXAMPLE_HOURS } from '#server/core/sections/opening-hours';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import type { Services } from '#server/services';
import { feedXml } from '#server/site/public/feed';
import { renderPage } from '#server/site/public/render-page';
import { messagePaths, readMessage } from '#tests/support/icu-messages';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

let server: Services;

beforeAll(async () => {
  server = await serve(startTestServices());
});

afterAll(stopServing);

async function call(method: string, path: string, body?: JsonValue) {
  const response = await callRoute(method, `/api/content/${path}`, { body });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

const content = () => server.sites.contentOf(EMBEDDED_SITE);

/** A published page as visitors get it. */
function page(path: string): Promise<string> {
  const assets = { stylesheet: '/a.css', fonts: [], pairs: {}, assets: [], readImage: async () => null };
  const theme = { render: renderSiteDocument, ...assets };
  return renderPage({ content: content(), address: 'https://kiln.example', theme, forms: { origin: '' } }, path);
}

async function published(type: 'pages' | 'posts', entry: JsonValue & object) {
  const made = await call('POST', type, entry);
  await call('POST', `${type}/${made.entry.id}/publish`);
  return made.entry;
}

it('shows all texts of the site in its language, and in English after an undo', async () => {
  await published('pages', { title: 'Home', slug: 'home', sections: [] });
  const before = await page('/');
  expect(before).toContain('<html lang="en">');
  expect(before).not.toContain('inLanguage');

  const changed = await call('PATCH', 'settings', { language: 'DE-at-u-ca-buddhist' });
  expect(changed.settings.language).toBe('de-AT');
  const hours = { items: EXAMPLE_HOURS.map((row) => ({ ...row })), address: siteTexts('de').exampleAddress };
  const kontakt = await published('pages', {
    title: 'Kontakt',
    sections: [
      { type: 'form', fields: { fields: [{ label: 'Alter', kind: 'number', required: false }] } },
      { type: 'opening-hours', fields: hours },
      { type: 'map', fields: { address: 'Gasse 1' } },
    ],
  });
  await published('posts', { title: 'Neues', sections: [] });
  const html = await page('/kontakt');
  for (const text of [
    '<html lang="de-AT">',
    'Senden',
    '(freiwillig)',
    'Montag – Freitag',
    'geschlossen',
    'Karte öffnen',
  ])
    expect(html, text).toContain(text);
  // The hours of an example are no facts about the business until somebody changes them.
  expect(html).not.toContain('LocalBusiness');
  const [, example] = kontakt.draft.sections;
  const operation = { op: 'set-section', sectionId: example.id, fields: { address: 'Gasse 1' } };
  await call('PATCH', `pages/${kontakt.id}`, { operations: [operation] });
  await call('POST', `pages/${kontakt.id}/publish`);
  expect(await page('/kontakt')).toContain('LocalBusiness');

  const date = new Intl.DateTimeFormat('de-AT', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.now());
  expect(await page(`/${POSTS_SEGMENT}`)).toContain(date);
  expect(await page('/nowhere')).toContain('Seite nicht gefunden');
  expect(await page('/')).toContain('"inLanguage":"de-AT"');
  expect(await feedXml(content(), 'https://kiln.example')).toContain('<language>de-AT</language>');

  await call('POST', 'undo', { changeId: changed.change.id });
  expect(await page('/')).toBe(before);
});

it('has texts of every language that fit the English ones, and English where a text is missing', () => {
  const files = Object.keys(import.meta.glob('/messages/site/*.json')).map((path) => path.slice(15, -5));
  expect(Object.keys(siteTextsByLanguage).toSorted()).toEqual(files.toSorted());
  const english = new Map(messagePaths(siteTexts('en')));
  const namesIn = (text = '') => [...readMessage(text).args.keys()].toSorted();
  for (const [language, texts] of Object.entries(siteTextsByLanguage)) {
    for (const [path, text] of messagePaths(texts))
      expect(namesIn(text), `${language}: ${path}`).toEqual(namesIn(english.get(path)));
    expect(messagePaths(siteTexts(language)).map(([path]) => path)).toEqual([...english.keys()]);
  }
  const complete = messagePaths(siteTextsByLanguage['de'] ?? {}).map(([path]) => path);
  expect(complete.toSorted()).toEqual([...english.keys()].toSorted());
  const spanish = siteTexts('es-MX');
  expect([spanish.closed, spanish.previewLink.badge]).toEqual(['cerrado', siteTexts('en').previewLink.badge]);
});
