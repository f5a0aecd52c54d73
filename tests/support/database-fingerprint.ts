import { createHash } from 'node:crypto';
import { createClient, type Client } from '@libsql/client';

/** Reads everything a database file holds, while a server has it open. */
export interface DatabaseReader extends Disposable {
  /** Rows and a hash of their contents, by table. Equal prints: nothing was stored, changed or deleted. */
  fingerprint(): Promise<Record<string, string>>;
  /** What visitors see of the site, now or by a plan, what is deleted, and the pictures, by kind. */
  noticed(): Promise<Record<'entries' | 'documents' | 'assets' | 'redirects', readonly unknown[]>>;
}

const NOTICED = {
  entries: `select id, published, published_at, publish_at, planned, deleted_at from entries
    where coalesce(published, publish_at, deleted_at) is not null order by id`,
  documents: 'select * from site_documents order by key',
  assets: 'select id, hash, filename, alt, tags, deleted_at from assets order by created_at, id',
  redirects: 'select * from redirects order by from_path',
};

async function printTable(client: Client, table: string): Promise<string> {
  const { rows } = await client.execute(`select * from "${table}" order by rowid`);
  const hash = createHash('sha256');
  for (const row of rows) hash.update(JSON.stringify(Array.from(row)));
  return `${rows.length} rows ${hash.digest('hex')}`;
}

/** Opens a database file for reading only. */
export async function readDatabase(file: string): Promise<DatabaseReader> {
  const client = createClient({ url: `file:${file}`, concurrency: 1 });
  await client.execute('pragma query_only = 1');
  const { rows } = await client.execute(
    // The full-text index and its inner tables are derived from the parts, and have no rows of their own.
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'history_search%'",
  );
  const tables = rows.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  let newest: { readonly version: unknown; readonly prints: Record<string, string> } = { version: null, prints: {} };
  return {
    async fingerprint() {
      // Changes with every commit of another connection: reading all of it again would say the same.
      const version = (await client.execute('pragma data_version')).rows[0]?.[0];
      if (newest.version === version) return newest.prints;
      const prints = await Promise.all(tables.map(async (table) => [table, await printTable(client, table)] as const));
      newest = { version, prints: Object.fromEntries(prints) };
      return newest.prints;
    },
    async noticed() {
      const read = async (sql: string) => (await client.execute(sql)).rows.map((row) => Array.from(row));
      const { entries, documents, assets, redirects } = NOTICED;
      return {
        entries: await read(entries),
        documents: await read(documents),
        assets: await read(assets),
        redirects: await read(redirects),
      };
    },
    [Symbol.dispose]: () => client.close(),
  };
}
