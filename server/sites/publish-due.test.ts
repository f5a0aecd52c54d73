import { expect, it } from 'vitest';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { EMBEDDED_SITE } from '#server/core/content';
import { plansOfActiveSite } from '#server/sites/publish-due';
import { createContentRepository } from '#server/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

it('finds what is planned on the active site in our copy of it, and leaves our own site alone', async () => {
  await using db = await createTestDatabase();
  const planned = { scheduled: true } as const;
  let active = 'wps_1';
  for (const siteId of [EMBEDDED_SITE, active]) {
    const copy = createEmbeddedContentBackend(createContentRepository(db, siteId));
    const { entry } = await copy.create({ type: 'page', title: siteId }, { actor: 'seed' });
    await copy.schedule(entry.id, Date.now() + 60_000, { actor: 'seed' });
  }
  const content = createEmbeddedContentBackend(createContentRepository(db, active));
  const plans = plansOfActiveSite(db, content, () => Promise.resolve(active));
  expect((await plans.query(planned)).items.map(({ title }) => title)).toEqual(['wps_1']);
  active = EMBEDDED_SITE;
  expect((await plans.query(planned)).items).toEqual([]);
});
