import { describe, expect, it } from 'vitest';
import { createBlobRepository } from '#server/conversation/store/sessions/blob-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTestDatabase } from '#tests/support/test-database';

const noise = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256);

async function setUp() {
  const db = await createTestDatabase();
  const sessions = createSessionRepository(db);
  const [first, second] = [await sessions.create({ ownerId: 'own_1' }), await sessions.create({ ownerId: 'own_1' })];
  const blobs = createBlobRepository(db, () => 7);
  const save = (sessionId: string, filename: string, data = noise) =>
    blobs.save({ sessionId, filename, mediaType: 'image/png', size: data.length, width: 3, height: 2, data });
  return { db, sessions, blobs, save, first: first.id, second: second.id, [Symbol.asyncDispose]: () => db.close() };
}

describe('BlobRepository', () => {
  it('gives back the bytes that it was given', async () => {
    await using store = await setUp();
    const saved = await store.save(store.first, 'a.png');
    expect(saved).toEqual({
      id: expect.stringMatching(/^blb_[0-9a-z]{26}$/),
      sessionId: store.first,
      mediaType: 'image/png',
      filename: 'a.png',
      size: 5_000,
      width: 3,
      height: 2,
      createdAt: 7,
    });
    const read = await store.blobs.read(saved.id);
    expect(read?.blob).toEqual(saved);
    expect(new Uint8Array(read!.data)).toEqual(noise);
    expect(await store.blobs.read('blb_none')).toBeNull();
  });

  it('finds those of a session alone, in the order asked for', async () => {
    await using store = await setUp();
    const [a, b] = [await store.save(store.first, 'a.png'), await store.save(store.first, 'b.png', noise.slice(1))];
    const foreign = await store.save(store.second, 'c.png');
    const found = await store.blobs.find(store.first, [b.id, foreign.id, 'blb_none', a.id]);
    expect(found).toEqual([b, a]);
    expect(await store.blobs.find(store.first, [])).toEqual([]);
  });

  it('lists those of a session alone, the newest first', async () => {
    await using store = await setUp();
    const [a, b] = [await store.save(store.first, 'a.png'), await store.save(store.first, 'b.png', noise.slice(1))];
    await store.save(store.second, 'c.png');
    expect(await store.blobs.list(store.first)).toEqual([b, a]);
    expect(await store.blobs.list('ses_none')).toEqual([]);
  });
});
