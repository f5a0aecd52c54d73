import { afterEach, beforeEach, expect, it } from 'vitest';
import { OAuthRepository } from '#server/platform/auth/oauth/oauth-repository';
import type { Database } from '#server/platform/database/database';
import { apiKeys, oauthClients, oauthTokens, users } from '#server/platform/database/schema/people';
import { createTestDatabase } from '#tests/support/test-database';

const START = Date.UTC(2026, 0, 5, 10, 0, 30);
const DAY = 86_400_000;
let db: Database;
let time: number;
let store: OAuthRepository;

beforeEach(async () => {
  db = await createTestDatabase();
  time = START;
  store = new OAuthRepository(db, () => time);
});
afterEach(() => db.close());

const client = (id: string) => ({ id, name: id, redirectUris: ['https://a.example/'] });
const tokens = (name: string) => ({
  access: { hash: `access ${name}`, expiresAt: time + DAY },
  refresh: { hash: name, family: 'the family', expiresAt: time + 30 * DAY },
});

/** Stores a grant with one refresh token that has no family, as earlier versions issued them. */
async function addGrant(name: string, token: string): Promise<void> {
  const now = new Date(START);
  const [id, userId, oauthClientId] = [`key_${name}`, `usr_${name}`, `tlc_${name}`];
  await store.addClient(client(oauthClientId));
  await db.write(async (tx) => {
    await tx.insert(users).values({ id: userId, name: 'Ada', email: `${name}@b.example`, role: 'editor', createdAt: now, updatedAt: now }); // oxfmt-ignore
    const expiresAt = START + 30 * DAY;
    const grant = { id, userId, name: 'A', prefix: '', hash: `oauth ${id}`, scopes: '["content:read"]' };
    await tx.insert(apiKeys).values({ ...grant, oauthClientId, expiresAt, createdAt: START });
    await tx.insert(oauthTokens).values({ hash: token, grantId: id, kind: 'refresh', expiresAt });
  });
}

it('recognises the reuse of a refresh token that was issued before tokens had families', async () => {
  await addGrant('a', 'old');
  const old = { hash: 'old', family: 'old' };
  const newest = { hash: 'second', family: 'the family' };
  expect(await store.refresh(old, 'tlc_a', tokens('first'))).toMatchObject({ grantId: 'key_a' });
  expect(await store.refresh({ ...newest, hash: 'first' }, 'tlc_a', tokens('second'))).toMatchObject({ grantId: 'key_a' }); // oxfmt-ignore
  expect(await store.refresh(old, 'tlc_a', tokens('third'))).toEqual({
    refusal: 'reused',
    revoked: { id: 'key_a', userId: 'usr_a', name: 'A' },
  });
  expect(await store.refresh(newest, 'tlc_a', tokens('fourth'))).toEqual({ refusal: 'unknown' });
});

it('accepts a used refresh token for ten seconds only', async () => {
  await addGrant('a', 'old');
  const first = { hash: 'first', family: 'the family' };
  // The hash of the refresh token is derived from the presented one; that of the access token is new each time.
  const answer = (access: string) => ({ ...tokens('second'), access: { hash: access, expiresAt: time + DAY } });
  await store.refresh({ hash: 'old', family: 'old' }, 'tlc_a', tokens('first'));
  expect(await store.refresh(first, 'tlc_a', answer('1'))).toMatchObject({ grantId: 'key_a' });
  time = START + 9_999;
  expect(await store.refresh(first, 'tlc_a', answer('2'))).toMatchObject({ grantId: 'key_a' });
  expect(await store.grantOf('2')).toBe('key_a');
  time = START + 10_000;
  expect(await store.refresh(first, 'tlc_a', answer('3'))).toMatchObject({
    refusal: 'reused',
    revoked: { id: 'key_a' },
  });
});

it('rejects a family of another grant, and finds no grant by a token that is no family', async () => {
  await addGrant('a', 'old a');
  await addGrant('b', 'old b');
  await store.refresh({ hash: 'old a', family: 'old a' }, 'tlc_a', tokens('first'));
  const foreign = store.refresh({ hash: 'old b', family: 'old b' }, 'tlc_b', tokens('second'));
  await expect(foreign).rejects.toThrow('belongs to another grant');
  expect(await store.refresh({ hash: 'x', family: 'old b' }, 'tlc_b', tokens('x'))).toEqual({ refusal: 'unknown' });
  expect(await store.revoke({ hash: 'x', family: 'old b' }, 'tlc_b')).toBeNull();
});

it('keeps an unconnected client for 30 days after a person opened its request', async () => {
  await store.addClient(client('tlc_ignored'));
  await store.addClient(client('tlc_opened'));
  time = START + 29 * DAY;
  await store.deleteExpired();
  expect(await store.findClient('tlc_ignored')).not.toBeNull();
  await store.touchClient('tlc_opened');
  time = START + 31 * DAY;
  await store.deleteExpired();
  expect(await store.findClient('tlc_ignored')).toBeNull();
  expect(await store.findClient('tlc_opened')).not.toBeNull();
});

it('deletes the oldest unused client of over 15 minutes when there are too many', async () => {
  await db.write(async (tx) => {
    for (let index = 0; index < 1_000; index += 1)
      await tx.insert(oauthClients).values({ ...client(`tlc_${index}`), createdAt: START + index });
  });
  expect(await store.addClient(client('tlc_new'))).toBe(false);
  time = START + 15 * 60_000 + 1;
  expect(await store.addClient(client('tlc_new'))).toBe(true);
  expect(await store.findClient('tlc_0')).toBeNull();
  expect(await store.findClient('tlc_1')).not.toBeNull();
});
