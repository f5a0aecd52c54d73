import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSeedClock } from '#scripts/seed-content/seed-clock';
import { seedSite } from '#scripts/seed-content/seed-site';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { sectionTypes } from '#server/core/content';
import { createContentRepository } from '#server/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const end = Date.UTC(2026, 0, 1);

async function withSeed(test: (content: ReturnType<typeof createEmbeddedContentBackend>) => Promise<void>) {
  await using db = await createTestDatabase();
  const content = createEmbeddedContentBackend(createContentRepository(db), { now: createSeedClock(end) });
  expect((await seedSite(content)).seeded).toBe(true);
  await test(content);
}

describe('seedSite', () => {
  it('makes a whole site of every kind of section, published, in the past', () =>
    withSeed(async (content) => {
      const pages = await content.listPublished({ type: 'page' });
      const posts = await content.listPublished({ type: 'post' });
      const sections = pages.flatMap(({ draft }) => draft.sections);
      expect(pages.length).toBeGreaterThanOrEqual(6);
      expect(posts).toHaveLength(8);
      expect(sections.length).toBeGreaterThanOrEqual(25);
      expect(new Set(sections.map(({ type }) => type))).toEqual(new Set(sectionTypes));
      const dates = posts.map(({ publishedAt }) => publishedAt ?? 0);
      expect(dates).toEqual(dates.toSorted((a, b) => b - a));
      expect((await content.revisions({ limit: 1 }))[0]?.createdAt).toBeLessThan(end);
    }));

  it('seeds once', () =>
    withSeed(async (content) => {
      const before = await content.revisions({ limit: 100 });
      expect(await seedSite(content)).toEqual({ seeded: false, pages: 0, posts: 0, sections: 0 });
      expect(await content.revisions({ limit: 100 })).toEqual(before);
    }));

  it('links only to pages that exist and shows only pictures that exist', () =>
    withSeed(async (content) => {
      const pages = new Set((await content.listPublished({ type: 'page' })).map(({ draft }) => `/${draft.slug}`));
      const texts = JSON.stringify([
        await content.listPublished({ type: 'page' }),
        await content.listPublished({ type: 'post' }),
        await content.navigation(),
      ]);
      const paths = [...texts.matchAll(/(?:"|\]\()(\/[a-z][a-z0-9/.-]*)/g)].map(([, path]) => path ?? '');
      expect(paths.length).toBeGreaterThan(30);
      for (const path of new Set(paths)) {
        if (path.startsWith('/images/')) expect(existsSync(`public${path}`), path).toBe(true);
        else expect(pages.has(path) || path === '/blog', path).toBe(true);
      }
    }));
});
