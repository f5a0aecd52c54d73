import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CALL_REQUEST_LIFETIME_MS,
  type CallReach,
  type CallRequestStore,
  type NewCallRequest,
} from '#server/core/conversation/pending-approvals';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createCallRequestRepository } from '#server/conversation/store/pending-approval-repository';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import type { Database } from '#server/platform/database/database';
import { users } from '#server/platform/database/schema/people';
import { createTestDatabase } from '#tests/support/test-database';

let db: Database;
let time: number;
let store: CallRequestStore;

beforeEach(async () => {
  db = await createTestDatabase();
  time = Date.UTC(2026, 0, 5, 10);
  store = createCallRequestRepository(db, () => time);
});
afterEach(() => db.close());

const asked = (changes: Partial<NewCallRequest> = {}): NewCallRequest => ({
  keyId: 'key_1',
  userId: 'usr_1',
  siteId: 'embedded',
  toolName: 'delete_content',
  input: { ref: 'about' },
  inputHash: 'hash',
  effect: null,
  ...changes,
});
const of = (userId: string, others: CallReach['others'] = 'none', sites: CallReach['sites'] = null): CallReach => ({
  userId,
  others,
  sites,
});
const all = of('usr_9', 'all');
const yes = { approved: true, reason: null, decidedBy: 'usr_1' };
const no = { approved: false, reason: 'Keep\u0000 it', decidedBy: 'usr_1' };

it('the same call is one question, until it is answered, used or over', async () => {
  const first = await store.ask(asked());
  expect(await store.ask(asked())).toEqual(first);
  await store.decide(first.id, of('usr_1'), yes);
  expect((await store.find('hash'))?.status).toBe('approved');
  const uses = await Promise.all([store.use(first.id), store.use(first.id)]);
  expect(uses.filter(Boolean)).toHaveLength(1);
  expect(await store.find('hash')).toBeNull();
  expect((await store.ask(asked())).id).not.toBe(first.id);
});

it('neither a question nor an answer holds for longer than its time', async () => {
  const first = await store.ask(asked());
  time += CALL_REQUEST_LIFETIME_MS;
  await expect(store.decide(first.id, all, yes)).rejects.toThrow(ConflictError);
  const second = await store.ask(asked());
  await store.decide(second.id, all, yes);
  time += CALL_REQUEST_LIFETIME_MS;
  expect(await store.use(second.id)).toBe(false);
  expect(await store.find('hash')).toBeNull();
  expect((await store.list(of('usr_1'))).map(({ status }) => status)).toEqual(['expired', 'expired']);
});

it('is of no use to a key that was revoked or is over, nor to one whose owner is suspended', async () => {
  const keys = createApiKeyRepository(db, () => time);
  const newKey = async (userId: string, expiresAt: number | null) => {
    const owned = { userId, name: 'Key', scopes: ['content:write' as const], expiresAt };
    return (await keys.create({ ...owned, prefix: 'tl_', hash: `${userId} ${expiresAt}` })).id;
  };
  const approvedOf = async (keyId: string, userId: string) => {
    const { id } = await store.ask(asked({ keyId, userId, inputHash: keyId }));
    await store.decide(id, all, yes);
    return id;
  };
  const who = { name: 'Edith', email: 'edith@example.test', createdAt: new Date(time), updatedAt: new Date(time) };
  await db.write((tx) => tx.insert(users).values({ ...who, id: 'usr_3', banned: true }));
  const [holds, revoked, over] = [
    await newKey('usr_1', null),
    await newKey('usr_2', null),
    await newKey('usr_1', time + 1),
  ];
  const ids = [await approvedOf(holds, 'usr_1'), await approvedOf(revoked, 'usr_2'), await approvedOf(over, 'usr_1')];
  ids.push(await approvedOf(await newKey('usr_3', null), 'usr_3'));
  await keys.revoke(revoked, null);
  time += 1;
  const uses: boolean[] = [];
  for (const id of ids) uses.push(await store.use(id));
  expect(uses).toEqual([true, false, false, false]);
});

it('is decided once, by its owner or an administrator; an author’s also by an editor', async () => {
  const { id } = await store.ask(asked());
  const when = { createdAt: new Date(time), updatedAt: new Date(time) };
  const author = { ...when, id: 'usr_4', name: 'Arthur', email: 'arthur@example.test', role: 'author' as const };
  await db.write((tx) => tx.insert(users).values(author));
  const authors = await store.ask(asked({ userId: author.id, inputHash: 'of an author' }));
  expect((await store.list(of('usr_2', 'authors'))).map((each) => each.id)).toEqual([authors.id]);
  await expect(store.decide(authors.id, of('usr_2'), yes)).rejects.toThrow(NotFoundError);
  await store.decide(authors.id, of('usr_2', 'authors'), yes);
  for (const others of ['none', 'authors'] as const)
    await expect(store.decide(id, of('usr_2', others), yes)).rejects.toThrow(NotFoundError);
  for (const reach of [of('usr_1', 'none', ['wps_1']), of('usr_9', 'all', [])]) {
    expect(await store.list(reach)).toEqual([]);
    await expect(store.decide(id, reach, yes)).rejects.toThrow(NotFoundError);
  }
  expect(await store.decide(id, all, no)).toMatchObject({ status: 'denied', reason: 'Keep\uFFFD it' });
  await expect(store.decide(id, of('usr_1'), yes)).rejects.toThrow(/denied already/);
  expect(await store.use(id)).toBe(false);
});

it('lists those that wait first, and no more wait of one key than anybody reads', async () => {
  const old = await store.ask(asked());
  for (let each = 1; each < 20; each++) await store.ask(asked({ inputHash: `other ${each}` }));
  await expect(store.ask(asked({ inputHash: 'one more' }))).rejects.toThrow(ConflictError);
  expect((await store.ask(asked({ inputHash: 'of another key', keyId: 'key_2', userId: 'usr_2' }))).id).toMatch(
    /^req_/,
  );
  const [, newest] = await store.list(of('usr_1'));
  await store.decide(newest!.id, all, no);
  const listed = await store.list(of('usr_1'));
  expect(listed.at(-1)?.id).toBe(newest!.id);
  expect(listed.at(-2)?.id).toBe(old.id);
  expect(await store.list(all)).toHaveLength(21);
});
