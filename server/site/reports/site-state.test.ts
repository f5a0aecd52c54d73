import type { ContentBackend } from '#server/site/content-backend';
import { describe, expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { partsOf, Site } from '#server/site/site';
import { readLedger } from '#server/site/reports/session-ledger';
import { createSiteState } from '#server/site/reports/site-state';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';
import type { ThingRef } from '#server/core/conversation/compactions';
import { preparePicture } from '#server/site/media/prepare-picture';
import { colouredPicture } from '#tests/support/pictures';

const session: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const editor: ChangeOrigin = { actor: 'user' };

describe('readLedger', () => {
  it('returns the changes of one session, oldest first, with fields and call', async () => {
    await using db = await createTestDatabase();
    // One clock tick for all: changes of the same millisecond keep their order.
    const site = new EmbeddedSite(createContentRepository(db), { now: () => 1_000 });
    const { entry } = await site.create({ type: 'page', title: 'Prices' }, { ...session, toolCallId: 'call_1' });
    await site.create({ type: 'page', title: 'Not ours' }, editor);
    const section = { id: 'sec_k7m2p9', type: 'faq' as const, fields: {} };
    await site.patch(entry.id, [{ op: 'insert-section', section }], session);
    await site.undoAll({ sessionId: 'ses_1' }, { ...editor, sessionId: 'ses_1' });

    const ledger = await readLedger(site, 'ses_1');

    expect(ledger.slice(0, 2)).toMatchObject([
      {
        kind: 'page',
        id: entry.id,
        summary: 'Created the page "Prices"',
        toolCallId: 'call_1',
        undone: true,
        at: 1_000,
      },
      { kind: 'page', id: entry.id, summary: 'Added a FAQ section to "Prices"', undone: true },
    ]);
    expect(ledger.slice(2).every(({ action }) => action === 'undo')).toBe(true);
  });

  it('has the former and the current text of each field that was set', async () => {
    await using db = await createTestDatabase();
    const site = new EmbeddedSite(createContentRepository(db));
    const items = [{ question: 'When?', answer: 'At nine.' }];
    const faq = { id: 'sec_k7m2p9', type: 'faq' as const, fields: { heading: 'Questions', items } };
    const { entry } = await site.create({ type: 'page', title: 'Prices', sections: [faq] }, session);
    const sectionId = entry.draft.sections[0]!.id;
    const set = (fields: Record<string, JsonValue>) =>
      site.patch(entry.id, [{ op: 'set-section', sectionId, fields }], session);
    await set({ items: [{ question: 'When?', answer: 'At nine o’clock.' }] });
    await set({ heading: 'Your questions' });
    const ledger = await readLedger(site, 'ses_1');
    expect(ledger.slice(1).map(({ values }) => values)).toEqual([
      [{ field: 'answer', before: 'At nine.', after: 'At nine o’clock.' }],
      [{ field: 'heading', before: 'Questions', after: 'Your questions' }],
    ]);
  });
});

const origin: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const pageRef = (id: string): ThingRef => ({ kind: 'page', id, slug: 'prices', title: 'Prices' });

async function testSite() {
  const db = await createTestDatabase();
  const site = new EmbeddedSite(createContentRepository(db), { preparePicture });
  return { site, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() };
}

describe('the current state', () => {
  it('is read from the site: address, state and sections of a page, for any last author', async () => {
    await using test = await testSite();
    const { entry } = await test.site.create({ type: 'page', title: 'Prices' }, origin);
    await test.site.publish(entry.id, origin);
    const section = { id: 'sec_k7m2p9', type: 'faq' as const, fields: {} };
    await test.site.patch(entry.id, [{ op: 'insert-section', section }], { actor: 'user' });
    const parts = [{ id: 'sec_k7m2p9', type: 'faq' }];
    const read = createSiteState();
    expect(await read(test.site, 'ses_1', [pageRef(entry.id)])).toEqual([
      {
        kind: 'page',
        id: entry.id,
        title: 'Prices',
        path: await test.site.pathOf(entry, 'draft'),
        state: 'published, the draft has newer edits',
        parts,
      },
    ]);
    await test.site.schedule(entry.id, Date.parse('2033-01-05T08:00Z'), origin);
    expect(await read(test.site, 'ses_1', [pageRef(entry.id)])).toMatchObject([
      { state: 'published, the draft has newer edits, planned for 2033-01-05T08:00Z' },
    ]);
    await test.site.patch(entry.id, [{ op: 'set', field: 'title', value: 'Prices 2033' }], { actor: 'user' });
    const frozen = 'planned for 2033-01-05T08:00Z without newer edits of the draft';
    expect(await read(test.site, 'ses_1', [pageRef(entry.id)])).toMatchObject([
      { state: `published, the draft has newer edits, ${frozen}` },
    ]);
  });

  it('has the address that visitors use and the one that a page moves to', async () => {
    await using test = await testSite();
    const { entry } = await test.site.create({ type: 'page', title: 'Prices' }, origin);
    await test.site.publish(entry.id, origin);
    await test.site.patch(entry.id, [{ op: 'set', field: 'slug', value: 'preise' }], origin);
    expect(await createSiteState()(test.site, 'ses_1', [pageRef(entry.id)])).toMatchObject([
      { path: '/prices', state: 'published, the draft has newer edits, moves to /preise when published' },
    ]);
  });

  it('marks deleted things, also if another entry reuses the id', async () => {
    await using test = await testSite();
    const { entry } = await test.site.create({ type: 'page', title: 'Prices' }, origin);
    await test.site.trash(entry.id, origin);
    await test.site.create({ type: 'page', title: entry.id }, origin);
    expect(await createSiteState()(test.site, 'ses_1', [pageRef(entry.id)])).toMatchObject([
      { title: 'Prices', state: 'deleted' },
    ]);
  });

  it('has the address of a picture, the items of the menu and the values of the settings', async () => {
    await using test = await testSite();
    const { asset } = await test.site.assets.add(
      { data: await colouredPicture('#b5651d'), filename: 'Ofen.png' },
      origin,
    );
    const below = [{ label: 'Kurse', href: '/kurse' }];
    await test.site.setNavigation([{ label: 'Preise', href: '/preise', children: below }], origin);
    await test.site.updateSettings({ tagline: 'Von Hand' }, origin);
    const refs = ['navigation', 'settings'].map((id) => ({ kind: id, id, slug: null, title: id }));
    const things = await createSiteState()(test.site, 'ses_1', [{ ...refs[0]!, kind: 'asset', id: asset.id }, ...refs]);
    expect(things).toMatchObject([
      { kind: 'picture', title: 'Ofen.png', path: asset.url, state: 'in the library' },
      { kind: 'menu', detail: 'Preise /preise [below it: Kurse /kurse]' },
      { kind: 'settings', detail: expect.stringContaining('tagline "Von Hand"') },
    ]);
  });

  it('is the last known state if the site does not answer in time, else that of the journal', async () => {
    await using test = await testSite();
    const { entry } = await test.site.create({ type: 'page', title: 'Prices' }, origin);
    let find: ContentBackend['find'] = (...asked) => test.site.find(...asked);
    const asked: ContentBackend['find'] = (...ref) => find(...ref);
    const slow = Object.assign(new Site(() => partsOf(test.site)), { find: asked });
    const read = createSiteState(20);
    await read(slow, 'ses_1', [pageRef(entry.id)]);
    find = () => new Promise(() => {});
    expect(await read(slow, 'ses_1', [pageRef(entry.id), pageRef('pag_000000')])).toMatchObject([
      { id: entry.id, state: 'draft', isLastKnown: true },
      { id: 'pag_000000', path: '/prices', state: null, isLastKnown: true },
    ]);
    find = () => Promise.reject(new Error('down'));
    expect(await read(slow, 'ses_1', [pageRef(entry.id)])).toMatchObject([{ state: 'draft', isLastKnown: true }]);
  });

  it('is not waited for once the work is given up', async () => {
    await using test = await testSite();
    const find: ContentBackend['find'] = () => new Promise(() => {});
    const slow = Object.assign(new Site(() => partsOf(test.site)), { find });
    const given = AbortSignal.abort(new Error('given up'));
    await expect(createSiteState()(slow, 'ses_1', [pageRef('pag_000000')], given)).rejects.toThrow('given up');
  });
});
