import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { createSeedClock, seedSite } from '#scripts/seed-content/seed-site';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createContentRepository } from '#server/store/content-repository';
import { openDatabase } from '#server/store/database';

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

try {
  await seed();
} catch (error) {
  exitWithMessage(error);
}
