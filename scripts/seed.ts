import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createContentRepository } from '#server/site/store/content-repository';
import { openDatabase } from '#server/platform/database/database';
import { readFileSync } from 'node:fs';
import type { ContentBackend, NewEntry } from '#server/site/content-backend';
import type { Entry, NavigationItem, SiteSettings } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';

/** Author of the changes. */
const origin: ChangeOrigin = { actor: 'seed' };

/** The demo: the site of a small pottery, as in site.json. Posts are in the order of their publication. */
interface DemoSite {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly pages: readonly NewEntry[];
  readonly posts: readonly NewEntry[];
  readonly drafts: readonly NewEntry[];
}

// Not validated here: the site validates every entry when it is written.
const demo = JSON.parse(readFileSync(new URL('seed-content/site.json', import.meta.url), 'utf8')) as DemoSite;

/** Result of a seed; `seeded` is false if a site existed already. */
interface SeedResult {
  readonly seeded: boolean;
  readonly pages: number;
  readonly posts: number;
  /** Number of sections on pages. */
  readonly sections: number;
}

/** More changes than a seed writes. */
const MANY_CHANGES = 100;

/** True if all changes were written by a seed that ended before its last write, which is the settings. */
async function isUnfinished(content: ContentBackend): Promise<boolean> {
  const changes = await content.changes({ limit: MANY_CHANGES });
  return changes.every(({ origin: { actor }, targetType }) => actor === 'seed' && targetType !== 'settings');
}

/** Returns the entry of an earlier run, or creates it. */
async function findOrCreate(content: ContentBackend, entry: NewEntry): Promise<Entry> {
  const found = await content.find(entry.slug ?? entry.title, entry.type);
  return found ?? (await content.create(entry, origin)).entry;
}

/**
 * Fills an empty site with the demo, published except for its draft. Completes a seed that was killed. A site with a
 * change by any other author is not touched.
 */
export async function seedSite(content: ContentBackend): Promise<SeedResult> {
  if (!(await isUnfinished(content))) return { seeded: false, pages: 0, posts: 0, sections: 0 };
  for (const entry of [...demo.pages, ...demo.posts]) {
    const { id, status } = await findOrCreate(content, entry);
    if (status !== 'published') await content.publish(id, origin);
  }
  for (const entry of demo.drafts) await findOrCreate(content, entry);
  await content.setNavigation(demo.navigation, origin);
  await content.updateSettings(demo.settings, origin);
  const pages = [...demo.pages, ...demo.drafts];
  const sections = pages.reduce((sum, page) => sum + (page.sections?.length ?? 0), 0);
  return { seeded: true, pages: pages.length, posts: demo.posts.length, sections };
}

const HOUR_MS = 3_600_000;

/** Time over which the demo site seems to have been made. */
const SPAN_MS = 120 * 24 * HOUR_MS;
/** Maximum number of writes in that time. */
const MAX_WRITES = 40;

/**
 * A clock for the seed that advances three days with every reading and never reaches `end` (epoch milliseconds), so
 * that the demo’s posts are days apart instead of milliseconds. `newest` is the time of the newest existing write, if an
 * interrupted seed is to be completed.
 */
export function createSeedClock(end: number, newest?: number): () => number {
  let time = newest ?? end - SPAN_MS;
  return () => (time += SPAN_MS / MAX_WRITES);
}

/** Migrates the configured database and fills it with the demo site, unless it has content. */
async function seed(): Promise<void> {
  const env = readEnvironment();
  await using database = await openDatabase({ url: env.DATABASE_URL, authToken: env.DATABASE_AUTH_TOKEN });
  const repository = createContentRepository(database);
  const [newest] = await new EmbeddedSite(repository).changes({ limit: 1 });
  const now = createSeedClock(Date.now(), newest?.createdAt);
  const { seeded, pages, posts, sections } = await seedSite(new EmbeddedSite(repository, { now }));
  console.log(
    seeded
      ? `Seeded a demo site: ${pages} pages with ${sections} sections, ${posts} posts, navigation and settings.`
      : 'The database has content already; nothing was seeded.',
  );
}

if (import.meta.main) {
  try {
    await seed();
  } catch (error) {
    exitWithMessage(error);
  }
}
