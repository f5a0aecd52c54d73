import { eq } from 'drizzle-orm';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { Database } from '#server/platform/database/database';
import { assets } from '#server/platform/database/schema/content';

/**
 * Creates a function that returns the id of the site whose library has a picture. A picture that is not in this database
 * counts as one of the built-in site, which may have a separate store.
 */
export function createSiteOfPicture(db: Database) {
  return async (id: string): Promise<string> => {
    const found = await db.read.select({ siteId: assets.siteId }).from(assets).where(eq(assets.id, id)).get();
    return found?.siteId ?? EMBEDDED_SITE;
  };
}
