import { expect, it } from 'vitest';
import { createContentRepository } from '#server/site/store/content-repository';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createPresenceRepository } from '#server/site/store/presence-repository';
import { presence as rows } from '#server/platform/database/schema/content';
import { users } from '#server/platform/database/schema/people';
import { createTestDatabase } from '#tests/support/test-database';

const windowOf = (letter: string) => `00000000-0000-4000-8000-00000000000${letter}`;

async function begin() {
  const db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const { entry } = await content.create({ type: 'page', title: 'Home' }, { actor: 'seed' });
  const date = new Date();
  const ada = { id: 'usr_ada', name: 'Ada', email: 'ada@example.com', createdAt: date, updatedAt: date };
  await db.write((tx) => tx.insert(users).values(ada));
  let time = 1_800_000_000_000;
  const presence = createPresenceRepository(db, () => time);
  const note = (letter: string, userId: string, place: { sectionId: string; field: string } | null = null) =>
    presence.report({ windowId: windowOf(letter), entryId: entry.id, place, leaves: false }, userId, 'embedded');
  return { db, presence, note, entry, wait: (ms: number) => (time += ms) };
}

it('lists other editors of a page and their fields', async () => {
  const { db, presence, note, entry } = await begin();
  await using _ = db;
  expect(await note('a', 'usr_ada')).toEqual({ others: [], revision: entry.revision });
  const place = { sectionId: 'sec_one', field: 'items.2.question' };
  const others = [{ id: windowOf('a'), name: 'Ada', isMe: false, place: null }];
  expect((await note('b', 'own_local', place)).others).toEqual(others);
  expect((await note('c', 'usr_ada')).others).toMatchObject([
    { name: 'Ada', isMe: true, place: null },
    { name: null, isMe: false, place },
  ]);
  expect(await presence.writersIn(entry.id)).toEqual([{ name: null, ...place }]);
  await note('b', 'own_local');
  expect(await presence.writersIn(entry.id)).toEqual([]);
});

it('drops windows that left or stopped reporting', async () => {
  const { db, presence, note, entry, wait } = await begin();
  await using _ = db;
  const place = { sectionId: 'sec_one', field: 'heading' };
  await note('a', 'usr_ada', place);
  await presence.report({ windowId: windowOf('a'), entryId: entry.id, place, leaves: true }, 'usr_ada', 'embedded');
  expect((await note('b', 'usr_ada', place)).others).toEqual([]);
  wait(20_000);
  expect((await note('c', 'usr_ada')).others).toHaveLength(1);
  wait(6_000);
  expect((await note('c', 'usr_ada')).others).toEqual([]);
  expect(await presence.writersIn(entry.id)).toEqual([]);
  expect(await db.read.select().from(rows)).toHaveLength(1);
});

it('writes nothing for a window that repeats its report, and leaves other windows alone', async () => {
  const { db, note, wait } = await begin();
  await using _ = db;
  await note('a', 'usr_ada');
  const [before] = await db.read.select().from(rows);
  wait(2_000);
  await note('a', 'usr_ada');
  await note('a', 'own_local', { sectionId: 'sec_one', field: 'heading' });
  expect(await db.read.select().from(rows)).toEqual([before]);
});
