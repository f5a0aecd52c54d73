import { describe, expect, it } from 'vitest';
import { colouredPicture } from '#tests/support/pictures';
import { startTestServices } from '#tests/support/test-services';

const assistant = { actor: 'assistant', sessionId: 'ses_1' } as const;
const user = { actor: 'user' } as const;

describe('the trash of a site', () => {
  it('lists pages, posts and pictures, the latest first, with their user, until restored', async () => {
    await using services = await startTestServices();
    const {
      builtIn: { content },
      builtIn: { trash },
    } = services;
    const page = await content.create({ type: 'page', title: 'Prices' }, user);
    const post = await content.create({ type: 'post', title: 'Rye' }, user);
    const { asset } = await content.assets.add(
      { data: await colouredPicture('#4a6fa5'), filename: 'mug.png', alt: 'A mug' },
      user,
    );
    expect(await trash({ kind: 'entries', limit: 10 })).toEqual({ items: [], total: 0, nextCursor: null });

    const { change } = await content.trash(page.entry.id, assistant);
    await content.trash(post.entry.id, user);
    await content.assets.trash(asset.id, user);
    const { items, total } = await trash({ kind: 'entries', limit: 10 });
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { type: 'post', id: post.entry.id, title: 'Rye', change: { origin: { actor: 'user' } } },
      { type: 'page', id: page.entry.id, slug: 'prices', change: { id: change.id, origin: assistant } },
    ]);
    const media = await trash({ kind: 'media', limit: 10 });
    expect(media.items).toMatchObject([{ type: 'asset', id: asset.id, title: 'mug.png', alt: 'A mug' }]);

    await content.restore(page.entry.id, user);
    await content.assets.restore(asset.id, user);
    expect((await trash({ kind: 'entries', limit: 10 })).items.map(({ id }) => id)).toEqual([post.entry.id]);
    expect((await trash({ kind: 'media', limit: 10 })).total).toBe(0);
  });

  it('is read in pages', async () => {
    await using services = await startTestServices();
    for (const title of ['One', 'Two', 'Three']) {
      const { entry } = await services.builtIn.content.create({ type: 'page', title }, user);
      await services.builtIn.content.trash(entry.id, user);
    }
    const first = await services.builtIn.trash({ kind: 'entries', limit: 2 });
    const second = await services.builtIn.trash({ kind: 'entries', limit: 2, cursor: first.nextCursor ?? undefined });
    expect([...first.items, ...second.items].map(({ title }) => title).toSorted()).toEqual(['One', 'Three', 'Two']);
    expect(second.nextCursor).toBeNull();
  });
});
