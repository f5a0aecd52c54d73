import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { Database } from '#server/store/database';
import { accounts, signIns, users, verifications } from '#server/store/schema';

/**
 * better-auth's own adapter on our database. Every statement goes through `Database`: what changes something is a write
 * of its own, in turn with everybody else's.
 */
export function createSignInStore(database: Database) {
  const proxy = drizzle(async (text, params: unknown[], method) => {
    const statement = toSql(text, params);
    if (method === 'run') {
      const { rowsAffected } = await database.write((tx) => tx.run(statement));
      // The adapter counts what was changed; drizzle itself hands this on as it is.
      return { rows: [], rowsAffected };
    }
    const isRead = /^select /i.test(text);
    return { rows: await (isRead ? database.read.values(statement) : database.write((tx) => tx.values(statement))) };
  });
  return drizzleAdapter(proxy, {
    provider: 'sqlite',
    schema: { user: users, session: signIns, account: accounts, verification: verifications },
  });
}

/** A statement that drizzle has built: every `?` in it stands for a value. */
function toSql(text: string, params: readonly unknown[]): SQL {
  const [first = '', ...rest] = text.split('?');
  return sql.join([sql.raw(first), ...rest.flatMap((piece, at) => [sql.param(params[at]), sql.raw(piece)])]);
}
