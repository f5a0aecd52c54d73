import { globSync } from 'node:fs';
import { createClient } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { inject, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#server/platform/database/database';
import { insertMessages } from '#server/conversation/store/message-writer';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { type Break, type LibsqlServer, startLibsqlServer } from '#tests/support/libsql-server';

const say = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, content: { text } }] });

/** A server with the newest schema. */
const start = (streamMs?: number) =>
  startLibsqlServer({ copyOf: inject('migratedDatabase'), ...(streamMs !== undefined && { streamMs }) });
/** Its lost clients keep their lock for a moment only. */
const startForgetful = () => start(400);

async function storedTexts(db: Database): Promise<string[]> {
  const rows = await db.read.select({ content: messageParts.content }).from(messageParts).orderBy(messageParts.id);
  return rows.map(({ content }) => (JSON.parse(content) as { text: string }).text);
}

describe('opening a database server', () => {
  it('brings an empty one to the newest schema once, however many do it at a time', async () => {
    await using server = await startLibsqlServer({ authToken: 'secret' });
    const options = { url: server.url, authToken: 'secret' };
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(options)));
    const [first, second] = databases;
    const { id } = await createSessionRepository(first!).create({ ownerId: 'own_1' });
    expect(await createSessionRepository(second!).get(id)).toMatchObject({ id });
    const [applied] = await second!.read.all<{ n: number }>(sql`select count(*) as n from __drizzle_migrations`);
    expect(applied?.n).toBe(globSync('drizzle/*.sql').length);
    for (const database of databases) await database.close();
  });

  it('reports that the server does not accept the token', async () => {
    await using server = await startLibsqlServer({ authToken: 'secret' });
    const opening = openDatabase({ url: server.url, authToken: 'guessed' });
    await expect(opening).rejects.toThrow(
      /^The database server 127\.0\.0\.1:\d+ does not accept DATABASE_AUTH_TOKEN\.$/,
    );
    await expect(openDatabase({ url: server.url })).rejects.toThrow('DATABASE_AUTH_TOKEN');
  });
});

describe('a database server that is shared', () => {
  it('loses none of the commits of two databases with ten writers each', async () => {
    await using server = await start();
    let retries = 0;
    const open = () => openDatabase({ url: server.url, onBusy: () => retries++ });
    const databases = [await open(), await open()];
    const { id } = await createSessionRepository(databases[0]!).create({ ownerId: 'own_1' });
    const labels = databases.flatMap((db, name) =>
      Array.from({ length: 10 }, (_, writer) => ({ db, label: `database ${name}, writer ${writer}` })),
    );
    await Promise.all(
      labels.map(async ({ db, label }) => {
        const repository = createMessageRepository(db);
        for (let i = 0; i < 5; i++) await repository.append(id, say(`${label}: ${i}`));
      }),
    );

    const expected = labels.flatMap(({ label }) => Array.from({ length: 5 }, (_, i) => `${label}: ${i}`));
    expect((await storedTexts(databases[1]!)).toSorted()).toEqual(expected.toSorted());
    const rows = await databases[0]!.read.select({ seq: messages.seq }).from(messages).orderBy(messages.seq);
    expect(rows.map(({ seq }) => seq)).toEqual(expected.map((_, index) => index + 1));
    expect(server.refusals).toBeGreaterThan(0);
    expect(retries).toBeGreaterThanOrEqual(server.refusals);
    for (const database of databases) await database.close();
    expect(server.openStreams).toBe(0);
  });

  it('waits no longer for the lock of a lost client than the server keeps it', async () => {
    await using server = await start();
    const lost = createClient({ url: server.url });
    const db = await openDatabase({ url: server.url });
    const transaction = await lost.transaction('write');
    await transaction.execute(
      "insert into sessions (id, title, owner_id, created_at, updated_at) values ('ses_lost', '', '', 1, 1)",
    );
    expect(server.openStreams).toBe(1);
    const creating = createSessionRepository(db).create({ ownerId: 'own_1' });
    await expect.poll(() => server.refusals).toBeGreaterThan(0);
    server.expireStreams();
    const { id } = await creating;
    expect(await db.read.select({ id: sessions.id }).from(sessions)).toEqual([{ id }]);
    await db.close();
  });
});

/** Where the connection of a write may break: at any of its statements, before or after they were carried out. */
const BREAKS: readonly Break[] = [
  /^begin/i,
  /^insert into "messages"/,
  /^insert into "message_parts"/,
  /^commit/i,
].flatMap((at) => [
  { at, lose: 'request' as const },
  { at, lose: 'answer' as const },
]);

describe('a connection that breaks', () => {
  async function appendThrough(server: LibsqlServer, disturb: (db: Database) => Promise<unknown>): Promise<string[]> {
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    const repository = createMessageRepository(db);
    await repository.append(id, say('before'));
    const disturbed = disturb(db);
    const { seq } = await repository.append(id, say('meanwhile'));
    expect(seq).toBe(2);
    await disturbed;
    await repository.append(id, say('after'));
    const texts = await storedTexts(db);
    await db.close();
    return texts;
  }

  it.each(BREAKS)('at $at, with the $lose lost, writes exactly once', async (fault) => {
    await using server = await startForgetful();
    expect(await appendThrough(server, () => server.breakOnce(fault))).toEqual(['before', 'meanwhile', 'after']);
  });

  it('twice in one commit writes exactly once', async () => {
    await using server = await startForgetful();
    const twice = async () => {
      await server.breakOnce({ at: /^commit/i, lose: 'answer' });
      await server.breakOnce({ at: /write_receipts where/, lose: 'answer' });
    };
    expect(await appendThrough(server, twice)).toEqual(['before', 'meanwhile', 'after']);
  });

  it('while something is read reads it again', async () => {
    await using server = await start();
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    for (const lose of ['request', 'answer'] as const) {
      const broken = server.breakOnce({ at: /^select/, lose });
      expect(await createSessionRepository(db).get(id)).toMatchObject({ id });
      await broken;
    }
    await db.close();
  });
});

describe('a transaction whose stream was lost', () => {
  /** Inserts, lets something happen to the stream in the first attempt, and inserts more. */
  async function insertAround(server: LibsqlServer, happen: () => unknown) {
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    let attempts = 0;
    await db.write(async (tx) => {
      await insertMessages(tx, id, [say('first')], 1);
      if (++attempts === 1) await happen();
      await insertMessages(tx, id, [say('second')], 1);
    });
    expect(attempts).toBe(2);
    expect(await storedTexts(db)).toEqual(['first', 'second']);
    await db.close();
  }

  it('because it expired, is run again', async () => {
    await using server = await start();
    await insertAround(server, () => server.expireStreams());
  });

  it('because the server was restarted, is run again', async () => {
    await using server = await start();
    await insertAround(server, () => server.forgetStreams());
  });

  it('because the server aborted it, is run again even if its work continues after the refusal', async () => {
    await using server = await start();
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    const takenBack = server.breakOnce({ at: /^select 1/, lose: 'transaction' });
    await db.write(async (tx) => {
      await insertMessages(tx, id, [say('first')], 1);
      await tx.get(sql`select 1`).catch(() => {});
      await insertMessages(tx, id, [say('second')], 1).catch(() => {});
    });
    await takenBack;
    expect(await storedTexts(db)).toEqual(['first', 'second']);
    await db.close();
  });

  it('leaves nothing when its work fails', async () => {
    await using server = await start();
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    const failing = db.write(async (tx) => {
      await insertMessages(tx, id, [say('never')], 1);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await storedTexts(db)).toEqual([]);
    // It has given the lock back.
    await createClient({ url: server.url }).batch(['select 1'], 'write');
    await db.close();
    expect(server.openStreams).toBe(0);
  });
});

it('a commit is still confirmed if the server returns shortly after the deadline', async () => {
  await using server = await start();
  const open = await openDatabase({ url: server.url, patienceMs: 1_000 });
  const { id } = await createSessionRepository(open).create({ ownerId: 'own_1' });
  const broken = server.breakOnce({ at: /^commit/i, lose: 'answer' });
  const [outcome] = await Promise.allSettled([
    createMessageRepository(open).append(id, say('written')),
    // More requests than are tried within the second.
    broken.then(() => Array.from({ length: 13 }, () => void server.breakOnce({ at: /./, lose: 'request' }))),
  ]);
  expect(outcome).toMatchObject({ status: 'fulfilled' });
  expect(await storedTexts(open)).toEqual(['written']);
  await open.close();
});

it('a commit that cannot be confirmed in time is not reported as not written', async () => {
  await using server = await start();
  const open = await openDatabase({ url: server.url, patienceMs: 1_000 });
  const { id } = await createSessionRepository(open).create({ ownerId: 'own_1' });
  const broken = server.breakOnce({ at: /^commit/i, lose: 'answer' });
  const [outcome] = await Promise.allSettled([
    createMessageRepository(open).append(id, say('written?')),
    // It is gone from then on.
    broken.then(() => Array.from({ length: 500 }, () => void server.breakOnce({ at: /./, lose: 'request' }))),
  ]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_uncertain' } });
  // Nothing was sent yet of this one.
  const later = createMessageRepository(open).append(id, say('never'));
  await expect(later).rejects.toMatchObject({ code: 'store_busy' });
  await open.close();
});
