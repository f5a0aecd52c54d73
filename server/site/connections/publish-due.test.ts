import { expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';
import { connectedSchedules } from '#server/site/connections/connected-schedules';

it('finds planned entries of connected sites in our copies, and leaves our own site alone', async () => {
  await using db = await createTestDatabase();
  const contentOf = (siteId: string) => new EmbeddedSite(createContentRepository(db, siteId));
  const inMs = { [EMBEDDED_SITE]: 50_000, wps_1: 70_000, wps_2: 60_000 };
  for (const [siteId, ms] of Object.entries(inMs)) {
    const { entry } = await contentOf(siteId).create({ type: 'page', title: siteId }, { actor: 'seed' });
    await contentOf(siteId).schedule(entry.id, Date.now() + ms, { actor: 'seed' });
  }
  const plans = connectedSchedules(db, { connectedIds: ['wps_1', 'wps_2'], contentOf });
  const { items } = await plans.query({ scheduled: true });
  expect(items.map(({ title }) => title)).toEqual(['wps_2', 'wps_1']);
  const published = await plans.publish(items[0]!.id, { actor: 'schedule' });
  expect(published.entry.draft.title).toBe('wps_2');
  expect((await contentOf('wps_2').get(items[0]!.id)).status).toBe('published');
});
