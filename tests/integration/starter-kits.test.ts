import { afterAll, beforeAll, expect, it } from 'vitest';
import { sectionExample } from '#components/editor/section-examples.ts';
import { changedParts, DEFAULT_DESIGN, type Design } from '#server/core/site/design/design';
import { siteTexts } from '#server/core/messages/site-texts';
import { withKitDesign } from '#server/core/site/starter/kit-designs';
import { starterKits } from '#server/core/site/starter/starter-kits';
import { loadKit } from '#server/site/starter/load-kit';
import type { JsonValue } from '#server/core/json';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

beforeAll(async () => {
  await serve(startTestServices());
});

afterAll(stopServing);

async function call(method: string, path: string, body?: JsonValue) {
  const response = await callRoute(method, `/api/content/${path}`, { body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const kits = starterKits.flatMap((kit) => ['en', 'de-AT'].map((language) => ({ kit, language })));

it.each(kits)(
  'the kit $kit makes drafts, design, menu and settings in $language by steps, and one undo takes all back',
  async ({ kit, language }) => {
    const before = (await call('GET', 'settings')).body;
    const answers = { what: 'What it is', audience: 'For neighbours', action: 'Come by' };
    const changes: { id: string }[] = [];
    let step: number | null = 0;
    while (step !== null) {
      const made = await call('POST', 'start', { kit, siteName: 'Kiln', language, ...answers, step });
      expect(made.status, JSON.stringify(made.body)).toBe(200);
      changes.push(...made.body.changes);
      step = made.body.next;
    }
    const { items: pages } = (await call('GET', 'pages')).body;
    expect(pages.length).toBeGreaterThanOrEqual(5);
    expect(pages.map(({ status }: { status: string }) => status)).toEqual(pages.map(() => 'draft'));
    const settings = (await call('GET', 'settings')).body;
    expect(settings).toMatchObject({ siteName: 'Kiln', tagline: 'What it is', language });
    const design = (await call('GET', 'design')).body;
    expect(changedParts(DEFAULT_DESIGN, design.draft)).toContain('palette');
    expect(design.published).toBeNull();

    // Every link of the menu and of the pages leads to one of them, and every page has a text for search engines.
    const paths = new Set(pages.map(({ path }: { path: string }) => path));
    const { items: menu } = (await call('GET', 'navigation')).body;
    expect(menu.map(({ href }: { href: string }) => href).filter((href: string) => !paths.has(href))).toEqual([]);
    for (const { id } of pages) {
      const { items } = (await call('GET', `pages/${id}/validate`)).body;
      const codes = items.map(({ reason }: { reason: { code: string } }) => reason.code);
      // Until they are published together, the pages link to drafts.
      expect(codes.filter((code: string) => code !== 'link-not-published')).toEqual([]);
    }
    const home = (await call('GET', 'pages/home')).body.draft;
    const { buttonHref } = home.sections.at(-1).fields;
    expect(home.sections[0].fields).toMatchObject({
      subheading: 'What it is',
      ctaLabel: 'Come by',
      ctaHref: buttonHref,
    });
    expect(home.sections[1].fields.body).toBe('For neighbours');
    expect(JSON.stringify(home.sections.slice(1))).not.toContain('What it is');
    // Invented hours are those of the example, which search engines do not get, and of which the checks remind.
    const all = await Promise.all(
      pages.map(async ({ id }: { id: string }) => (await call('GET', `pages/${id}`)).body.draft.sections),
    );
    const hours = all.flat().filter(({ type }) => type === 'opening-hours');
    const { items } = sectionExample('opening-hours');
    expect(hours.map(({ fields: { heading: _, ...fields } }) => fields)).toEqual(
      hours.map(() => expect.objectContaining({ items, address: siteTexts(language).exampleAddress })),
    );

    const again = await call('POST', 'start', { kit, siteName: 'Kiln' });
    expect([again.status, again.body.error.reason?.code]).toEqual([400, 'site-not-empty']);
    const repeated = await call('POST', 'start', { kit, language, step: 1 });
    expect([repeated.status, repeated.body.error.reason?.code]).toEqual([400, 'site-not-empty']);

    const undone = await call('POST', 'undo', { changeIds: changes.map(({ id }) => id).toReversed() });
    expect(undone.status, JSON.stringify(undone.body)).toBe(200);
    expect((await call('GET', 'pages')).body.items).toEqual([]);
    expect((await call('GET', 'navigation')).body.items).toEqual([]);
    expect({ ...(await call('GET', 'settings')).body, revision: 0 }).toEqual({ ...before, revision: 0 });
    expect((await call('GET', 'design')).body).toMatchObject({ draft: DEFAULT_DESIGN, published: null });
  },
);

/** The layout of the first section of each kind on the start page of a kit. */
function layoutsOf({ pages: [home] }: Awaited<ReturnType<typeof loadKit>>): ReadonlyMap<string, unknown> {
  return new Map(home!.sections.toReversed().map(({ type, fields }) => [type, fields['layout']]));
}

it('two kits make sites that look alike', async () => {
  const looks = await Promise.all(
    starterKits.map(async (kit) => ({
      kit,
      layouts: layoutsOf(await loadKit(kit, 'en')),
      design: withKitDesign(DEFAULT_DESIGN, kit),
    })),
  );
  const pairs = looks.flatMap((first, index) => looks.slice(index + 1).map((second) => [first, second] as const));
  for (const [first, second] of pairs) {
    const pair = `${first.kit}, ${second.kit}`;
    const must: (keyof Design)[] = ['palette', 'fonts', 'header'];
    expect(changedParts(first.design, second.design), pair).toEqual(expect.arrayContaining(must));
    const differing = [...first.layouts].filter(
      ([type, layout]) => second.layouts.has(type) && second.layouts.get(type) !== layout,
    );
    expect(differing.length, pair).toBeGreaterThanOrEqual(2);
  }
});
