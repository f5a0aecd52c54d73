import { and, asc, eq, sql } from 'drizzle-orm';
import type { VariantStore } from '#server/site/media/picture-variants';
import type { Database } from '#server/platform/database/database';
import { pictureVariants } from '#server/platform/database/schema/content';

/** Limit for the bytes of all variants together: some hundred pictures. Backups include them. */
const MAX_TOTAL_BYTES = 256_000_000;
const DAY_MS = 86_400_000;

/**
 * Stores pictures in the sizes that pages requested. Missing variants are created again, so the variants that have not
 * been requested for the longest time are replaced by new ones.
 * @param now epoch milliseconds
 */
export function createPictureVariantRepository(
  db: Database,
  { now = Date.now, maxTotalBytes = MAX_TOTAL_BYTES } = {},
): VariantStore {
  return {
    async find(version, name) {
      const { data, usedAt } = pictureVariants;
      const here = and(eq(pictureVariants.version, version), eq(pictureVariants.name, name));
      const row = await db.read.select({ data, usedAt }).from(pictureVariants).where(here).get();
      if (!row) return null;
      // One update a day suffices to identify unused variants; the visitor does not wait for it.
      if (now() - row.usedAt >= DAY_MS)
        db.write((tx) => tx.update(pictureVariants).set({ usedAt: now() }).where(here)).catch(() => undefined);
      return row.data;
    },

    async keep(version, name, data) {
      if (data.length > maxTotalBytes) return;
      await db.write(async (tx) => {
        const row = { version, name, data: Buffer.from(data), size: data.length, usedAt: now() };
        await tx.insert(pictureVariants).values(row).onConflictDoNothing();
        const all = await tx
          .select({ bytes: sql<number>`sum(${pictureVariants.size})` })
          .from(pictureVariants)
          .get();
        let tooMuch = (all?.bytes ?? 0) - maxTotalBytes;
        while (tooMuch > 0) {
          const { usedAt, size } = pictureVariants;
          const oldest = await tx
            .select({ version: pictureVariants.version, name: pictureVariants.name, size })
            .from(pictureVariants)
            .orderBy(asc(usedAt), asc(sql`rowid`))
            .get();
          if (!oldest) break;
          tooMuch -= oldest.size;
          await tx
            .delete(pictureVariants)
            .where(and(eq(pictureVariants.version, oldest.version), eq(pictureVariants.name, oldest.name)));
        }
      });
    },
  };
}
