import { readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { countTokens } from '#server/context/tokens';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { type Database, openDatabase } from '#server/platform/database/database';
import { createPictureFetch } from '#server/site/media/picture-fetch';

/**
 * Opens the site in the configured database, for a command; a server may be running on it.
 * @param use a command that only reads does not migrate the database, because a server of an older version may be using
 * it
 */
export async function openOwnSite(
  use: 'reads' | 'writes',
): Promise<{ readonly database: Database; readonly content: ContentBackend }> {
  const env = readEnvironment();
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
    older: use === 'reads' ? 'refuse' : 'migrate',
  });
  const sources = { preparePicture, fetchPicture: createPictureFetch(), countTokens };
  return { database, content: new EmbeddedSite(createContentRepository(database), sources) };
}
