import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderSiteDocument } from '#components/content/render-site-page';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import type { Services } from '#server/services';
import { cacheableResponse } from '#server/site/public/cached-response';
import { renderPage } from '#server/site/public/render-page';
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

/** The published page as visitors get it. */
function page(path: string): Promise<string> {
  const theme = {
    render: renderSiteDocument,
    stylesheet: '/a.css',
    fonts: [],
    pairs: {},
    assets: [],
    readImage: async () => null,
  };
  const content = server.sites.contentOf(EMBEDDED_SITE);
  return renderPage({ content, address: 'https://kiln.example', theme, forms: null }, path);
}

const EVIL = '</script><script>alert(1)</script>';
const item = { title: 'Bowl', body: 'Turned by hand' };
/** Fields of each kind with texts that its page must show. */
const sections = [
  { type: 'price-list', fields: { items: [{ ...item, price: '€48' }], note: 'With tax' } },
  { type: 'timetable', fields: { items: [{ title: 'Wheel', day: 'Monday', time: '18:00', body: 'Ines' }] } },
  {
    type: 'opening-hours',
    fields: {
      items: [{ firstDay: 'saturday', lastDay: 'monday', opens: '9.30', closes: '18:00' }, { firstDay: 'tuesday' }],
      address: `Quay 1 ${EVIL}`,
      phone: '+44 (0) 1326 12',
    },
  },
  {
    type: 'team',
    fields: { items: [{ title: 'Ines', role: 'Potter', src: '/images/kiln.svg', alt: 'Ines at work' }] },
  },
  { type: 'testimonials', fields: { items: [{ quote: 'It holds tea', author: 'Mara' }] } },
  { type: 'steps', fields: { items: [item, { title: 'Fire', body: 'Twice' }] } },
  { type: 'logos', fields: { images: [{ src: '/images/mugs.svg', alt: 'Guild', href: 'https://guild.example' }] } },
  { type: 'map', fields: { address: 'Quay 1\nFalmouth' } },
  { type: 'table', fields: { rows: 'Glaze | Cone\nAsh | 10', caption: 'Glazes' } },
  { type: 'downloads', fields: { items: [{ title: 'Care', href: 'https://a.example/care.pdf' }] } },
  { type: 'video', fields: { href: 'https://youtu.be/aqz-KE-bpKQ', title: `Kiln "1" ${EVIL}` } },
  { type: 'video', fields: {} },
];
const SHOWN = [
  '€48',
  'With tax',
  'Wheel</p>',
  'Monday</h2>',
  'Saturday – Monday',
  '09:30 – 18:00',
  'closed',
  'tel:+44132612',
  'alt="Ines at work"',
  'Potter',
  'It holds tea',
  'Mara',
  '<ol',
  'href="https://guild.example"',
  'openstreetmap.org/search?query=Quay%201%2C%20Falmouth',
  '<th scope="col">Glaze</th>',
  '<td>Ash</td>',
  'PDF',
];

it('shows sections of all kinds that REST adds, changes and undoes, without running any script', async () => {
  const made = await call('POST', 'pages', { title: 'Studio', sections });
  const { id, draft } = made.entry;
  const stored = draft.sections.map(({ fields }: { fields: JsonValue }) => fields);
  expect(stored[2].items[0]).toEqual({ firstDay: 'saturday', lastDay: 'monday', opens: '09:30', closes: '18:00' });
  await call('POST', `pages/${id}/publish`);
  const html = await page('/studio');
  for (const text of SHOWN) expect(html, text).toContain(text);

  // The only scripts are data, and no text ends them.
  const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  expect(scripts.map(([, attributes]) => attributes)).toEqual(scripts.map(() => ' type="application/ld+json"'));
  const data = scripts.map(([, , json = '']) => JSON.parse(json) as Record<string, unknown>);
  expect(data.find((each) => each['@type'] === 'LocalBusiness')).toMatchObject({
    address: `Quay 1 ${EVIL}`,
    openingHoursSpecification: [
      { dayOfWeek: ['Saturday', 'Sunday', 'Monday'].map((day) => `https://schema.org/${day}`), opens: '09:30' },
      { dayOfWeek: ['https://schema.org/Tuesday'], opens: '00:00', closes: '00:00' },
    ],
  });

  // Nothing is requested from the video service: its player is a link within the frame, and the policy names it alone.
  expect(html.match(/<iframe[^>]*>/g)).toHaveLength(1);
  expect(html).not.toMatch(/<iframe[^>]* src=/);
  expect(html).toContain('href=&quot;https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ?');
  const response = await cacheableResponse(200, { 'content-type': 'text/html' }, html);
  expect(response.players).toEqual(['https://www.youtube-nocookie.com']);

  const [prices] = draft.sections;
  const operation = { op: 'set-section', sectionId: prices.id, fields: { layout: 'cards', note: null } };
  const changed = await call('PATCH', `pages/${id}`, { operations: [operation] });
  expect(changed.entry.draft.sections[0].fields).toEqual({ items: [{ ...item, price: '€48' }], layout: 'cards' });
  await call('POST', 'undo', { changeId: changed.change.id });
  const { draft: undone } = await call('GET', `pages/${id}`);
  expect(undone.sections.map(({ fields }: { fields: JsonValue }) => fields)).toEqual(stored);
});
