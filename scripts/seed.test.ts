import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeedClock, seedSite } from '#scripts/seed';
import type { ContentBackend } from '#server/site/content-backend';
import type { EntryItem } from '#server/core/site/site-lists';
import { partsOf, Site } from '#server/site/site';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { EntryType } from '#server/core/site/content';
import type { Database } from '#server/platform/database/database';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const end = Date.UTC(2026, 0, 1);

async function published(content: ContentBackend, type: EntryType): Promise<readonly EntryItem[]> {
  return (await content.query({ state: 'published', type, select: ['image', 'sections'] })).items;
}

/** The same site, until so many writes are done. */
function dyingAfter(writes: number, content: ContentBackend): ContentBackend & { readonly written: () => number } {
  let written = 0;
  const step = () => {
    if (written >= writes) throw new Error('Killed');
    written += 1;
  };
  const dying: Partial<ContentBackend> = {
    create: async (...args) => (step(), content.create(...args)),
    publish: async (...args) => (step(), content.publish(...args)),
    setNavigation: async (...args) => (step(), content.setNavigation(...args)),
    updateSettings: async (...args) => (step(), content.updateSettings(...args)),
  };
  return Object.assign(new Site(() => partsOf(content)), dying, { written: () => written });
}

/** Seeds until so many writes are done, and then, as a new process does, once more; what the site is in the end. */
async function seedUntilItDies(writes: number) {
  await using db = await createTestDatabase();
  const repository = createContentRepository(db);
  const open = async () => {
    const [newest] = await new EmbeddedSite(repository).changes({ limit: 1 });
    return new EmbeddedSite(repository, { now: createSeedClock(end, newest?.createdAt) });
  };
  const mortal = dyingAfter(writes, await open());
  await seedSite(mortal).catch((error: unknown) => expect(String(error)).toContain('Killed'));
  const content = await open();
  if (mortal.written() === writes) expect((await seedSite(content)).seeded).toBe(true);
  const entries = [
    ...(await content.query({ state: 'published', type: 'page' })).items,
    ...(await content.query({ state: 'published', type: 'post' })).items,
  ];
  const drafts = await content.query({ type: 'page', status: 'draft' });
  return {
    writes: mortal.written(),
    site: {
      published: entries.map(({ title, publishedAt }) => ({ title, publishedAt })),
      drafts: drafts.items.map(({ title }) => title),
      navigation: await content.navigation(),
      settings: await content.settings(),
    },
  };
}

describe('seedSite', () => {
  let db: Database;
  let content: ContentBackend;
  beforeAll(async () => {
    db = await createTestDatabase();
    content = new EmbeddedSite(createContentRepository(db), { now: createSeedClock(end) });
    expect((await seedSite(content)).seeded).toBe(true);
  });
  afterAll(() => db.close());

  it('makes a whole site of many kinds of sections, published, in the past', async () => {
    const pages = await published(content, 'page');
    const posts = await published(content, 'post');
    const sections = pages.flatMap(({ selected }) => selected?.sections ?? []);
    expect(pages.length).toBeGreaterThanOrEqual(6);
    expect(posts).toHaveLength(8);
    expect(sections.length).toBeGreaterThanOrEqual(25);
    const types = new Set(sections.map(({ type }) => type));
    expect(types.size).toBeGreaterThanOrEqual(10);
    // HTML is for what comes from another CMS; what we write ourselves has a type.
    expect(types).not.toContain('html');
    const dates = posts.map(({ publishedAt }) => publishedAt ?? 0);
    expect(dates).toEqual(dates.toSorted((a, b) => b - a));
    expect((await content.changes({ limit: 1 }))[0]?.createdAt).toBeLessThan(end);
  });

  it('seeds once', async () => {
    const before = await content.changes({ limit: 100 });
    expect(await seedSite(content)).toEqual({ seeded: false, pages: 0, posts: 0, sections: 0 });
    expect(await content.changes({ limit: 100 })).toEqual(before);
  });

  it('completes what a seed that was killed has begun, wherever it ended', async () => {
    const whole = await seedUntilItDies(Number.POSITIVE_INFINITY);
    for (const writes of [0, 2, whole.writes - 1]) {
      const completed = await seedUntilItDies(writes);
      expect(completed.site, `after ${writes} writes`).toEqual(whole.site);
    }
  });

  it('leaves a site alone that was changed since', async () => {
    await using other = await createTestDatabase();
    const changed = new EmbeddedSite(createContentRepository(other), { now: createSeedClock(end) });
    await expect(seedSite(dyingAfter(3, changed))).rejects.toThrow('Killed');
    await changed.create({ type: 'page', title: 'Mine' }, { actor: 'api' });
    expect((await seedSite(changed)).seeded).toBe(false);
  });

  it('links only to pages that exist and shows only pictures that exist', async () => {
    const pages = new Set((await published(content, 'page')).map(({ slug }) => `/${slug}`));
    const texts = JSON.stringify([
      (await published(content, 'page')).map(({ selected }) => selected),
      (await published(content, 'post')).map(({ selected }) => selected),
      await content.navigation(),
    ]);
    const paths = [...texts.matchAll(/(?:"|\]\()(\/[a-z][a-z0-9/.-]*)/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(30);
    for (const path of new Set(paths)) {
      if (path.startsWith('/images/')) expect(existsSync(`public${path}`), path).toBe(true);
      else expect(pages.has(path) || path === '/blog', path).toBe(true);
    }
  });
});
