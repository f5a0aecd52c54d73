import { expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { PatchOp } from '#server/core/site/content';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const titled = (value: string): PatchOp => ({ op: 'set', field: 'title', value });

it('extends a change for a minute from its first letter, and no longer', async () => {
  await using db = await createTestDatabase();
  let time = 1_800_000_000_000;
  const content = new EmbeddedSite(createContentRepository(db), { now: () => time });
  const hand = { actor: 'user', userId: 'own_local' } as const;
  const { entry } = await content.create({ type: 'page', title: 'One' }, hand);
  const first = await content.patch(entry.id, [titled('O')], hand);
  const type = async (title: string) =>
    (await content.patch(entry.id, [titled(title)], hand, { joins: first.change.id })).change;
  time += 50_000;
  expect(await type('On')).toMatchObject({ id: first.change.id, createdAt: first.change.createdAt });
  time += 9_999;
  expect((await type('Once')).id).toBe(first.change.id);
  time += 1;
  const late = await type('Once more');
  expect(late.id).not.toBe(first.change.id);
  expect(late.inverse).toEqual([titled('Once')]);
});

it('does not go on with a change of what was published or planned since', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const hand = { actor: 'user', userId: 'own_local' } as const;
  const { entry } = await content.create({ type: 'page', title: 'One' }, hand);
  const first = await content.patch(entry.id, [titled('Two')], hand);
  await content.publish(entry.id, hand);
  const second = await content.patch(entry.id, [titled('Three')], hand, { joins: first.change.id });
  expect(second.change.id).not.toBe(first.change.id);
  expect((await content.version(entry.id, first.entry.revision)).title).toBe('Two');
});
