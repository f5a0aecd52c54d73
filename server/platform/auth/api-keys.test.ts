import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiKeys, withinRole } from '#server/platform/auth/api-keys';
import { UnauthenticatedError } from '#server/core/errors';
import { allows, LOCAL_OWNER, type Principal, roles, scopes, scopesOfRole } from '#server/core/admin/access-rights';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import { apiKeys, users } from '#server/platform/database/schema/people';
import type { Database } from '#server/platform/database/database';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { createTestDatabase } from '#tests/support/test-database';

const START = Date.UTC(2026, 0, 5, 10, 0, 30);
const MINUTE = 60_000;
let db: Database;
let time: number;

const person = (userId: string, role: 'admin' | 'editor' = 'admin'): Principal => ({
  kind: 'user',
  userId,
  name: 'Somebody',
  scopes: scopesOfRole[role],
  keyId: null,
  sites: null,
});

beforeEach(async () => {
  db = await createTestDatabase();
  time = START;
});

afterEach(() => db.close());

function keysOf({ hasAccounts = false, onFault = failed } = {}) {
  const now = () => time;
  const store = createApiKeyRepository(db, now);
  const marks: number[] = [];
  const counted = {
    ...store,
    markUsed: async (id: string, at: number) => {
      marks.push(at);
      await store.markUsed(id, at);
    },
  };
  return { keys: createApiKeys({ store: counted, hasAccounts, onFault, now }), marks };
}

async function addUser(id: string, role: 'admin' | 'editor'): Promise<void> {
  const now = new Date(START);
  const row = { id, name: 'Ada', email: `${id}@site.test`, role, createdAt: now, updatedAt: now };
  await db.write((tx) => tx.insert(users).values(row).run());
}

const update = (id: string, changes: Partial<typeof users.$inferInsert>) =>
  db.write((tx) => tx.update(users).set(changes).where(eq(users.id, id)).run());

function failed(message: string, error: unknown): void {
  expect.fail(`${message}: ${String(error)}`);
}

const some = { name: 'Script', scopes: ['chat', 'content:read'], expiresAt: null } as const;

describe('API keys', () => {
  it('are nowhere in the database, in no column and no byte of its files', async () => {
    const { keys } = keysOf();
    const { key } = await keys.create(person(LOCAL_OWNER), some);
    await keys.find(key);
    const secret = key.slice(9);
    expect(JSON.stringify(await db.read.select().from(apiKeys))).not.toContain(secret);
    const folder = dirname(databaseFileOf(db.url));
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    // What is to be found is found there: the search looks in the right place.
    expect(files.some((bytes) => bytes.includes('Script'))).toBe(true);
    expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
  });

  it('differ, and another one of the same beginning is none', async () => {
    const { keys } = keysOf();
    const made = await Promise.all([1, 2, 3].map(() => keys.create(person(LOCAL_OWNER), some)));
    expect(new Set(made.map(({ key }) => key)).size).toBe(3);
    const [{ key }] = made as [(typeof made)[0]];
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    await expect(keys.find(other)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  it('end at their time', async () => {
    const { keys } = keysOf();
    const { key } = await keys.create(person(LOCAL_OWNER), { ...some, expiresAt: START + MINUTE });
    time = START + MINUTE - 1;
    await keys.find(key);
    time = START + MINUTE;
    await expect(keys.find(key)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  it('note their use to the minute, once a minute', async () => {
    const { keys, marks } = keysOf();
    const { key } = await keys.create(person(LOCAL_OWNER), some);
    await Promise.all([keys.find(key), keys.find(key), keys.find(key)]);
    const minute = START - 30_000;
    await expect.poll(async () => (await keys.list(null))[0]?.lastUsedAt).toBe(minute);
    await keys.find(key);
    expect(marks).toEqual([minute]);
    time += MINUTE;
    await keys.find(key);
    await expect.poll(async () => (await keys.list(null))[0]?.lastUsedAt).toBe(minute + MINUTE);
    expect(marks).toEqual([minute, minute + MINUTE]);
  });

  it('work also while their use cannot be noted', async () => {
    const faults: string[] = [];
    const { keys } = keysOf();
    const { key, stored } = await keys.create(person(LOCAL_OWNER), some);
    const store = { ...createApiKeyRepository(db), markUsed: () => Promise.reject(new Error('full')) };
    const onFault = (message: string) => void faults.push(message);
    const failing = createApiKeys({ store, hasAccounts: false, onFault, now: () => time });
    expect(await failing.find(key)).toMatchObject({ keyId: stored.id, sites: null });
    await expect.poll(() => faults).toEqual([`The use of API key ${stored.id} could not be noted`]);
  });
});

describe('API keys of people', () => {
  it('end the calls that are under way with them, and no others', async () => {
    await addUser('usr_1', 'admin');
    await addUser('usr_2', 'admin');
    const { keys } = keysOf({ hasAccounts: true });
    const call = async (userId: string, expiresAt: number | null = null) => {
      const { stored } = await keys.create(person(userId), { ...some, expiresAt });
      return { id: stored.id, ...keys.watch(stored.id) };
    };
    const [banned, expired] = [await call('usr_1'), await call('usr_2', START + MINUTE)];
    const [revoked, kept] = [await call('usr_2'), await call('usr_2')];
    await keys.revoke(revoked.id, null);
    expect(revoked.signal.reason).toBeInstanceOf(UnauthenticatedError);
    expect([banned, expired, kept].map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
    // By another process.
    await update('usr_1', { banned: true });
    time = START + MINUTE;
    await expect.poll(() => banned.signal.aborted && expired.signal.aborted).toBe(true);
    expect(kept.signal.aborted).toBe(false);
    kept.release();
  });

  it('of the owner of a machine need an account once there are accounts', async () => {
    const { key } = await keysOf().keys.create(person(LOCAL_OWNER), some);
    const { keys } = keysOf({ hasAccounts: true });
    await expect(keys.find(key)).rejects.toBeInstanceOf(UnauthenticatedError);
    await addUser(LOCAL_OWNER, 'admin');
    expect(await keys.find(key)).toMatchObject({ userId: LOCAL_OWNER });
  });

  it('never allow what their user’s role does not', () => {
    fc.assert(
      fc.property(fc.subarray([...scopes]), fc.constantFrom(...roles), (granted, role) => {
        const left = withinRole(granted, role);
        for (const scope of scopes) {
          const isAllowed = allows(left, scope);
          expect(isAllowed && !allows(scopesOfRole[role], scope)).toBe(false);
          expect(isAllowed && !allows(granted, scope)).toBe(false);
        }
      }),
    );
  });

  it('are limited in number', async () => {
    const { keys } = keysOf();
    for (let made = 0; made < 50; made++) await keys.create(person(LOCAL_OWNER), some);
    await expect(keys.create(person(LOCAL_OWNER), some)).rejects.toThrow('50 API keys');
    await keys.revoke((await keys.list(null))[0]!.id, null);
    await keys.create(person(LOCAL_OWNER), some);
  });
});
