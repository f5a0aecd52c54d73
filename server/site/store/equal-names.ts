import { sql } from 'drizzle-orm';
import { foldText } from '#server/core/fold-text';
import type { StoreReader } from '#server/platform/database/database';
import { assets, entries, redirects } from '#server/platform/database/schema/content';

/** Largest number of groups of equal names that are listed. */
const MAX_GROUPS = 100;

/**
 * Groups of tags, and of former addresses, that differ only in case or in the form of their characters, in the spellings
 * that are in use. Each group belongs to one site; at most 100 groups.
 */
export async function equalNames(reader: StoreReader): Promise<string[][]> {
  const rows = await reader.all<{ kind: string; site: string; name: string }>(sql`
    select 'tag' as kind, ${entries.siteId} as site, tag.value as name
      from ${entries}, json_each(${entries.draft}, '$.tags') as tag
    union select 'picture', ${assets.siteId}, tag.value from ${assets}, json_each(${assets.tags}) as tag
    union select 'address', ${redirects.siteId}, ${redirects.fromPath} from ${redirects}`);
  const groups = Map.groupBy(rows, ({ kind, site, name }) => `${kind} ${site} ${foldText(name)}`);
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .slice(0, MAX_GROUPS)
    .map((group) => group.map(({ name }) => name));
}
