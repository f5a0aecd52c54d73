import { readEnvironment } from '#scripts/lib/environment';
import { projectPath } from '#scripts/lib/project';
import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { countTokens } from '#server/context/tokens';
import { createPictureFetch } from '#server/media/fetch-picture';
import { preparePicture } from '#server/media/prepare-picture';
import { createContentRepository } from '#server/store/content-repository';
import { type Database, openDatabase } from '#server/store/database';

/** The site that is kept in the configured database, for a command; a server may run beside it. */
export async function openOwnSite(): Promise<{ readonly database: Database; readonly content: ContentBackend }> {
  const env = readEnvironment();
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
  });
  const sources = { preparePicture, fetchPicture: createPictureFetch(), countTokens };
  return { database, content: createEmbeddedContentBackend(createContentRepository(database), sources) };
}
