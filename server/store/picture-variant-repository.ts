import { and, asc, eq, sql } from 'drizzle-orm';
import type { VariantStore } from '#server/media/picture-variants';
import type { Database } from '#server/store/database';
import { pictureVariants } from '#server/store/schema/content';

/** Bytes of all variants together: of some hundred pictures. A backup carries them along. */
const MOST_BYTES = 256_000_000;
const DAY_MS = 86_400_000;

/**
 * Keeps pictures in the sizes that pages asked for. What is missing is made again, so that those which nobody has asked for
 * longest give way to new ones.
 * @param now epoch milliseconds
 */
export function createPictureVariantRepository(
  db: Database,
  { now = Date.now, mostBytes = MOST_BYTES } = {},
): VariantStore {
  return {
    async find(version, name) {
      const { data, usedAt } = pictureVariants;
      const here = and(eq(pictureVariants.version, version), eq(pictureVariants.name, name));
      const row = await db.read.select({ data, usedAt }).from(pictureVariants).where(here).get();
      if (!row) return null;
      // Once a day is enough to tell what is in use from what is not; a visitor does not wait for it.
      if (now() - row.usedAt >= DAY_MS)
        db.write((tx) => tx.update(pictureVariants).set({ usedAt: now() }).where(here)).catch(() => undefined);
      return row.data;
    },

    async keep(version, name, data) {
      if (data.length > mostBytes) return;
      await db.write(async (tx) => {
        const row = { version, name, data: Buffer.from(data), size: data.length, usedAt: now() };
        await tx.insert(pictureVariants).values(row).onConflictDoNothing();
        const all = await tx
          .select({ bytes: sql<number>`sum(${pictureVariants.size})` })
          .from(pictureVariants)
          .get();
        let tooMuch = (all?.bytes ?? 0) - mostBytes;
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
