import { expect } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { followPublished } from '#server/site/public/published-states';
import { createContentRepository } from '#server/site/store/content-repository';
import { itWithDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;

itWithDatabase('what visitors see has another number once it has changed, by whatever process', async ({ db }) => {
  const content = new EmbeddedSite(createContentRepository(db));
  let [writes, time, looks] = [0, 0, 0];
  const changes: typeof content.changes = (query) => {
    looks += 1;
    return content.changes(query);
  };
  const published = followPublished({ content: { changes }, writes: () => writes, now: () => time });
  const { entry } = await content.create({ type: 'page', title: 'Home' }, by);
  const first = await published();
  expect(await Promise.all([published(), published()])).toEqual([first, first]);
  expect(looks).toBe(1);

  // Of this process: visible immediately, and only public changes count.
  await content.patch(entry.id, [{ op: 'set', field: 'title', value: 'Start' }], by);
  await content.setStandingInstructions({ voice: 'Warm.', glossary: [], rules: [] }, by);
  writes += 2;
  expect(await published()).toBe(first);
  await content.publish(entry.id, by);
  writes += 1;
  const second = await published();
  expect(second).toBeGreaterThan(first);

  // Of another process: seen when it is looked for.
  await content.updateSettings({ tagline: 'Pots' }, by);
  expect(await published()).toBe(second);
  time += 250;
  const third = await published();
  expect(third).toBeGreaterThan(second);

  // More than are read one by one.
  for (let count = 0; count < 51; count += 1)
    await content.patch(entry.id, [{ op: 'set', field: 'excerpt', value: `No. ${count}` }], by);
  time += 250;
  expect(await published()).toBeGreaterThan(third);
});
