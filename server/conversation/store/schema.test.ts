import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createTestDatabase } from '#tests/support/test-database';

it('has an index for every foreign key, so that no deletion scans a table', async () => {
  await using db = await createTestDatabase();
  const tables = await db.read.all<{ name: string }>(sql`select name from sqlite_master where type = 'table'`);
  const keys = await db.read.all<{ child: string; id: number; column: string }>(sql`
    select tables.name as child, keys.id, keys."from" as "column"
    from sqlite_master as tables join pragma_foreign_key_list(tables.name) as keys
    where tables.type = 'table' order by child, keys.id, keys.seq`);
  const indexed = await db.read.all<{ child: string; name: string; column: string }>(sql`
    select tables.name as child, indexes.name, columns.name as "column"
    from sqlite_master as tables
      join pragma_index_list(tables.name) as indexes
      join pragma_index_info(indexes.name) as columns
    where tables.type = 'table' and indexes.partial = 0 order by child, indexes.seq, columns.seqno`);
  const listed = (rows: readonly { child: string; column: string }[]) =>
    `${rows[0]?.child}(${rows.map(({ column }) => column).join(', ')}`;
  const foreignKeys = [...Map.groupBy(keys, ({ child, id }) => `${child} ${id}`).values()].map(listed);
  const indexes = [...Map.groupBy(indexed, ({ name }) => name).values()].map(listed);

  expect(tables.length).toBeGreaterThan(20);
  expect(foreignKeys).toContain('messages(session_id');
  expect(foreignKeys.filter((key) => !indexes.some((index) => index === key || index.startsWith(`${key}, `)))).toEqual(
    [],
  );
});
