import { describe, expect, it } from 'vitest';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { readLedger } from '#server/content/site-lists';
import type { ChangeOrigin } from '#server/core/content';
import { preparePicture } from '#server/media/prepare-picture';
import { createContentRepository } from '#server/store/content-repository';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';

const session: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const editor: ChangeOrigin = { actor: 'user' };

describe('readLedger', () => {
  it('gives the changes of one session, oldest first, with what each entry is by now', async () => {
    await using db = await createTestDatabase();
    // One clock tick for all: changes of the same millisecond keep their order.
    const site = createEmbeddedContentBackend(createContentRepository(db), { now: () => 1_000 });
    const { entry } = await site.create({ type: 'page', title: 'Prices' }, session);
    await site.create({ type: 'page', title: 'Not ours' }, editor);
    await site.publish(entry.id, session);
    const section = { id: 'sec_k7m2p9', type: 'faq' as const, fields: {} };
    await site.patch(entry.id, [{ op: 'insert-section', section }], session);
    await site.patch(entry.id, [{ op: 'set', field: 'slug', value: 'price-list' }], editor);

    const ledger = await readLedger(site, 'ses_1');

    expect(ledger.map(({ action }) => action)).toEqual(['create', 'publish', 'update']);
    for (const change of ledger) {
      expect(change).toMatchObject({
        kind: 'page',
        id: entry.id,
        slug: 'price-list',
        state: 'changed',
        parts: [{ id: 'sec_k7m2p9', type: 'faq' }],
      });
    }
  });

  it('gives the address of a picture, and says when it is in the trash', async () => {
    await using db = await createTestDatabase();
    const site = createEmbeddedContentBackend(createContentRepository(db), { preparePicture });
    const data = await colouredPicture('#b5651d');
    const { asset } = await site.assets.add({ data, filename: 'Kiln.png' }, session);
    await site.assets.update(asset.id, { filename: 'Ofen.png' }, editor);
    const picture = { kind: 'picture', id: asset.id, slug: `media/${asset.id}/ofen.png`, title: 'Ofen.png' };
    expect(await readLedger(site, 'ses_1')).toMatchObject([{ ...picture, action: 'create', state: 'in the library' }]);
    await site.assets.trash(asset.id, editor);
    expect(await readLedger(site, 'ses_1')).toMatchObject([{ ...picture, state: 'deleted' }]);
  });

  it('says when something is published by itself', async () => {
    await using db = await createTestDatabase();
    const site = createEmbeddedContentBackend(createContentRepository(db));
    const { entry } = await site.create({ type: 'page', title: 'Prices' }, session);
    await site.schedule(entry.id, Date.parse('2033-01-05T08:00Z'), session);
    const [, planned] = await readLedger(site, 'ses_1');
    expect(planned).toMatchObject({ action: 'schedule', state: 'draft, planned for 2033-01-05T08:00Z' });
  });

  it('says what is gone, also where another entry goes by its id', async () => {
    await using db = await createTestDatabase();
    const site = createEmbeddedContentBackend(createContentRepository(db));
    const { entry } = await site.create({ type: 'page', title: 'Prices' }, session);
    await site.trash(entry.id, session);
    await site.create({ type: 'page', title: entry.id }, editor);

    const [created] = await readLedger(site, 'ses_1');

    expect(created).toMatchObject({ id: entry.id, title: 'Prices', state: 'deleted', parts: [] });
  });

  it('leaves navigation and settings without a state', async () => {
    await using db = await createTestDatabase();
    const site = createEmbeddedContentBackend(createContentRepository(db));
    await site.updateSettings({ tagline: 'Thrown by hand' }, session);

    const [change] = await readLedger(site, 'ses_1');

    expect(change).toMatchObject({ kind: 'settings', id: 'settings', summary: 'Changed the tagline' });
    expect(change).not.toHaveProperty('state');
  });
});
