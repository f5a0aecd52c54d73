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

it('recognises the reuse of a refresh token that was issued before tokens had families', async () => {
  const now = new Date(START);
  await store.addClient(client('tlc_a'));
  await db.write(async (tx) => {
    await tx.insert(users).values({ id: 'usr_a', name: 'Ada', email: 'a@b.example', role: 'editor', createdAt: now, updatedAt: now }); // prettier-ignore
    const expiresAt = START + 30 * DAY;
    const grant = {
      id: 'key_a',
      userId: 'usr_a',
      name: 'A',
      prefix: '',
      hash: 'oauth key_a',
      scopes: '["content:read"]',
    };
    await tx.insert(apiKeys).values({ ...grant, oauthClientId: 'tlc_a', expiresAt, createdAt: START });
    await tx.insert(oauthTokens).values({ hash: 'old', grantId: 'key_a', kind: 'refresh', expiresAt });
  });
  const old = { hash: 'old', family: 'old' };
  const newest = { hash: 'second', family: 'the family' };
  expect(await store.refresh(old, 'tlc_a', tokens('first'))).toMatchObject({ grantId: 'key_a' });
  expect(await store.refresh({ ...newest, hash: 'first' }, 'tlc_a', tokens('second'))).toMatchObject({ grantId: 'key_a' }); // prettier-ignore
  expect(await store.refresh(old, 'tlc_a', tokens('third'))).toEqual({
    refusal: 'reused',
    revoked: { id: 'key_a', userId: 'usr_a', name: 'A' },
  });
  expect(await store.refresh(newest, 'tlc_a', tokens('fourth'))).toEqual({ refusal: 'unknown' });
});

it('keeps a client that nobody connected for 30 days after a person opened its request', async () => {
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

it('deletes the oldest unused client for a new one when there are too many, unless it is of the last 15 minutes', async () => {
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
