import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createContentRepository } from '#server/store/content-repository';
import { openDatabase } from '#server/store/database';
import { readFileSync } from 'node:fs';
import type { ContentBackend, NewEntry } from '#server/content/content-backend';
import type { Entry, NavigationItem, SiteSettings } from '#server/core/content';
import type { ChangeOrigin } from '#server/core/changes';

const origin: ChangeOrigin = { actor: 'seed' };

/** The demo: a small pottery's site, as site.json holds it. Posts are in the order of their publication. */
interface DemoSite {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly pages: readonly NewEntry[];
  readonly posts: readonly NewEntry[];
  readonly drafts: readonly NewEntry[];
}

// Checked by the site itself, which every entry is written to.
const demo = JSON.parse(readFileSync(new URL('seed-content/site.json', import.meta.url), 'utf8')) as DemoSite;

/** Result of a seed; `seeded` is false if there was a site already. */
interface SeedResult {
  readonly seeded: boolean;
  readonly pages: number;
  readonly posts: number;
  /** On pages. */
  readonly sections: number;
}

/** More than a seed writes. */
const MANY_CHANGES = 100;

/** True if all was written by a seed that ended before its last write, which is the settings. */
async function isUnfinished(content: ContentBackend): Promise<boolean> {
  const changes = await content.changes({ limit: MANY_CHANGES });
  return changes.every(({ origin: { actor }, targetType }) => actor === 'seed' && targetType !== 'settings');
}

/** The entry as it is there from an earlier run, or created now. */
async function findOrCreate(content: ContentBackend, entry: NewEntry): Promise<Entry> {
  const present = await content.find(entry.slug ?? entry.title, entry.type);
  return present ?? (await content.create(entry, origin)).entry;
}

/**
 * Fills an empty site with the demo, published but for its draft. Completes what a seed that was killed has begun. A site on which anybody else ever wrote stays as it is.
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

/** Time the demo site has been in the making, and the most writes that took. */
const SPAN_MS = 120 * 24 * HOUR_MS;
const WRITES = 40;

/**
 * A clock for the seed that moves three days with every look and never reaches `end` (epoch milliseconds), so that
 * the demo’s posts are days apart instead of milliseconds. `begun` is the time of the newest write there is, where a
 * seed that ended early is to be completed.
 */
export function createSeedClock(end: number, begun?: number): () => number {
  let time = begun ?? end - SPAN_MS;
  return () => (time += SPAN_MS / WRITES);
}

/** Migrates the configured database and fills it with the demo site, unless it has content already. */
async function seed(): Promise<void> {
  const env = readEnvironment();
  await using database = await openDatabase({ url: env.DATABASE_URL, authToken: env.DATABASE_AUTH_TOKEN });
  const repository = createContentRepository(database);
  const [newest] = await createEmbeddedContentBackend(repository).changes({ limit: 1 });
  const now = createSeedClock(Date.now(), newest?.createdAt);
  const { seeded, pages, posts, sections } = await seedSite(createEmbeddedContentBackend(repository, { now }));
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
