import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { StoredAsset } from '#server/site/embedded/asset-state';
import { hasFoldedName, hasFoldedWord } from '#server/site/store/folded-texts';
import { assets } from '#server/platform/database/schema/content';
import { CorruptRowError } from '#server/platform/database/json-column';
import type { AssetQuery } from '#server/site/asset-library';

type AssetRow = typeof assets.$inferSelect;
/** Largest number of words in a search that are used. */
const MAX_WORDS = 12;
const tagsSchema = z.array(z.string());
export const assetCursorSchema = z.tuple([z.number(), z.string()]);

export function assetFromRow({ siteId: _site, folded: _folded, ...row }: AssetRow): StoredAsset {
  const tags = tagsSchema.safeParse(row.tags);
  if (!tags.success) throw new CorruptRowError('assets', row.id, tags.error);
  return { ...row, tags: tags.data };
}

export function afterAssetCursor([createdAt, id]: readonly [number, string]) {
  return or(lt(assets.createdAt, createdAt), and(eq(assets.createdAt, createdAt), lt(assets.id, id)));
}

export function assetFilter({
  text = '',
  tag,
  missingAlt,
  state = 'live',
  except,
}: Omit<AssetQuery, 'limit' | 'cursor'>) {
  const words = text.slice(0, 500).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const searchedText = sql`lower(${assets.filename} || ' ' || ${assets.alt} || ' ' || ${assets.tags})`;
  return and(
    state === 'live' ? isNull(assets.deletedAt) : isNotNull(assets.deletedAt),
    ...words.map((word) => hasFoldedWord(assets, '$', word, sql`instr(${searchedText}, lower(${word})) > 0`)),
    missingAlt === true ? eq(assets.alt, '') : undefined,
    except === undefined
      ? undefined
      : sql`${assets.id} not in (select value from json_each(${JSON.stringify(except)}))`,
    tag === undefined
      ? undefined
      : hasFoldedName(
          assets,
          '$',
          tag,
          sql`exists (select 1 from json_each(${assets.tags}) as tag where lower(tag.value) = lower(${tag}))`,
        ),
  );
}
