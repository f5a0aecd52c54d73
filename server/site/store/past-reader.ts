import { sql, type SQL } from 'drizzle-orm';
import type { JsonValue } from '#server/core/json';
import type { StoreReader } from '#server/platform/database/database';
import { entries, revisions } from '#server/platform/database/schema/content';
import type { PastEntry, PastPlace } from '#server/site/embedded/content-store';

interface PastRow extends PastPlace {
  readonly slug: string | null;
  readonly deletedAt: number | null;
}

/**
 * Reads earlier states of a site's content from the journal; implements the methods of `ContentReader` with a `seq`.
 * @param db the reading connection, or a transaction
 */
export function createPastReader(db: StoreReader, siteId: string) {
  /**
   * State of a target after the change at `seq`: the state after the last change up to then, or else the state before
   * the next one.
   */
  const stateOf = (target: SQL, seq: number) => ({
    until: sql`(select r.seq from ${revisions} r where r.site_id = ${siteId} and r.target_id = ${target}
      and r.seq <= ${seq} order by r.seq desc limit 1)`,
    next: sql`(select r.seq from ${revisions} r where r.site_id = ${siteId} and r.target_id = ${target}
      and r.seq > ${seq} order by r.seq limit 1)`,
  });

  return {
    async seqOf(changeId: string): Promise<number | null> {
      const [row] = await db.all<{ seq: number }>(
        sql`select seq from ${revisions} where site_id = ${siteId} and id = ${changeId}`,
      );
      return row?.seq ?? null;
    },

    async stateAt(targetId: string, seq: number): Promise<JsonValue | undefined> {
      const { until, next } = stateOf(sql`${targetId}`, seq);
      const [row] = await db.all<{ until: number | null; next: number | null; state: string | null }>(sql`
        select until, next, case
          when until is not null then (select after from ${revisions} where seq = until)
          when next is not null then (select before from ${revisions} where seq = next) end as state
        from (select ${until} as until, ${next} as next)`);
      if (row === undefined || (row.until === null && row.next === null)) return undefined;
      return row.state === null ? null : (JSON.parse(row.state) as JsonValue);
    },

    async entriesAt(seq: number): Promise<PastEntry[]> {
      const { until, next } = stateOf(sql`e.id`, seq);
      // A target that is not in the journal has not changed.
      const present = sql`(select json_object('draft', json(draft), 'publishedAt', published_at, 'deletedAt', deleted_at,
        'published', json_object('slug', published_slug)) from ${entries} where id = picked.id)`;
      const rows = await db.all<PastRow>(sql`
        select id, type, createdAt, json_extract(state, '$.draft.slug') as slug,
          json_extract(state, '$.draft.parent') as parent, json_extract(state, '$.publishedAt') as publishedAt,
          json_extract(state, '$.deletedAt') as deletedAt, json_extract(state, '$.published.slug') as publishedSlug
        from (
          select id, type, created_at as createdAt, case
            when until is not null then (select after from ${revisions} where seq = until)
            when next is not null then (select before from ${revisions} where seq = next)
            else ${present} end as state
          from (select e.id, e.type, e.created_at, ${until} as until, ${next} as next
            from ${entries} e where e.site_id = ${siteId}) as picked)
        where state is not null
        order by createdAt, id`);
      return rows.flatMap(({ deletedAt, slug, ...entry }) =>
        deletedAt !== null || slug === null ? [] : [{ ...entry, slug }],
      );
    },
  };
}
