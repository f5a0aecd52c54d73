import { createHash, randomUUID } from 'node:crypto';
import { type Client, createClient } from '@libsql/client';
import { createId } from '#server/core/ids';
import type { Thing } from '#tests/support/access-table';

/**
 * Ids of a session of one user, of a message that waits in it, of a file in it, of a key of theirs, of a call that it asks
 * for, and of an answer that a program of theirs may refer to.
 */
export type Things = Readonly<Record<Thing, string>>;

export interface ThingMaker extends Disposable {
  /** Creates all of them again, written while the server has the database open. */
  make(ownerId: string): Promise<Things>;
  /** Makes an API key one that has expired. */
  expire(keyId: string): Promise<void>;
  /** Moves the newest sign-in of a person back by hours. */
  signedInEarlier(userId: string): Promise<void>;
  /** What OpenID Connect providers have handed out. */
  storedTokens(): Promise<readonly unknown[]>;
  isRevoked(keyId: string): Promise<boolean>;
}

/** In the title of every session that is made: no page may show it to who may not see it. */
export const SECRET_TITLE = 'Plans that nobody else may read';

const wireResponse = (id: string) => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'throughline/offline',
  output: [],
  previous_response_id: null,
  store: true,
});

export async function openThings(databaseFile: string): Promise<ThingMaker> {
  const client: Client = createClient({ url: `file:${databaseFile}`, concurrency: 1 });
  await client.execute('pragma busy_timeout = 5000');
  await client.execute('pragma synchronous = off');
  return {
    async make(ownerId) {
      const [session, queued, attachment] = [createId('ses'), createId('que'), createId('blb')];
      const [key, callRequest] = [createId('key'), createId('req')];
      const response = `resp_${randomUUID().replaceAll('-', '')}`;
      const hash = createHash('sha256').update(randomUUID()).digest('hex');
      const parts = JSON.stringify([{ type: 'text', content: { text: 'Words' }, tokens: 1 }]);
      const now = Date.now();
      await client.batch(
        [
          {
            sql: 'insert into sessions (id, title, owner_id, queue_held, created_at, updated_at) values (?, ?, ?, 1, ?, ?)',
            args: [session, SECRET_TITLE, ownerId, now, now],
          },
          {
            sql: 'insert into queued_messages (id, session_id, parts, created_at) values (?, ?, ?, ?)',
            args: [queued, session, parts, now],
          },
          {
            sql: "insert into blobs (id, session_id, hash, media_type, filename, size, data, created_at) values (?, ?, ?, 'text/plain', 'a.txt', 5, ?, ?)",
            args: [attachment, session, hash, Buffer.from('Words'), now],
          },
          {
            sql: `insert into api_keys (id, user_id, name, prefix, hash, scopes, created_at) values (?, ?, 'Made', 'tl_x', ?, '["chat"]', ?)`,
            args: [key, ownerId, hash, now],
          },
          {
            sql: `insert into call_requests (id, key_id, user_id, tool_name, input, input_hash, status, created_at, expires_at) values (?, ?, ?, 'delete_content', '{"ref":"about"}', ?, 'pending', ?, ?)`,
            args: [callRequest, key, ownerId, hash, now, now + 900_000],
          },
          {
            sql: 'insert into stored_responses (id, owner_id, content, size, created_at) values (?, ?, ?, 100, ?)',
            args: [response, ownerId, JSON.stringify({ input: [], response: wireResponse(response) }), now],
          },
        ],
        'write',
      );
      return { session, queued, attachment, key, callRequest, response };
    },
    async expire(keyId) {
      await client.execute({
        sql: 'update api_keys set expires_at = ? where id = ?',
        args: [Date.now() - 60_000, keyId],
      });
    },
    async signedInEarlier(userId) {
      const newest = 'select id from sign_ins where user_id = ? order by created_at desc, id desc limit 1';
      const times = ['created_at', 'authenticated_at'].map((column) => `${column} = ${column} - 36000000`);
      const sql = `update sign_ins set ${times.join(', ')} where id = (${newest})`;
      await client.execute({ sql, args: [userId] });
    },
    async storedTokens() {
      const tokens = 'coalesce(access_token, refresh_token, id_token)';
      const { rows } = await client.execute(`select ${tokens} from accounts where ${tokens} is not null`);
      return rows;
    },
    async isRevoked(keyId) {
      const { rows } = await client.execute({ sql: 'select revoked_at from api_keys where id = ?', args: [keyId] });
      return rows[0]?.['revoked_at'] !== null;
    },
    [Symbol.dispose]: () => client.close(),
  };
}
