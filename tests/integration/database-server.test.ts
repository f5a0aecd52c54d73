import { createClient } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { inject, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#server/platform/database/database';
import { insertMessages } from '#server/conversation/store/message-writer';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import type { Break, LateRequest } from '#tests/support/hrana-endpoint';
import { type LibsqlServer, startLibsqlServer } from '#tests/support/libsql-server';

const say = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, content: { text } }] });

/** A server with the newest schema. */
const start = (streamMs?: number) =>
  startLibsqlServer({ copyOf: inject('migratedDatabase'), ...(streamMs !== undefined && { streamMs }) });
/** Its lost clients keep their lock for a moment only. */
const startForgetful = () => start(400);
/** No transaction loses the write lock to waiting ones. */
const startPatient = () => startLibsqlServer({ copyOf: inject('migratedDatabase'), transactionMs: 60_000 });

/** Holds the write lock until it is released. */
async function holdWriteLock({ url }: LibsqlServer) {
  const client = createClient({ url });
  const transaction = await client.transaction('write');
  await transaction.execute('select 1');
  const release = async () => {
    await transaction.rollback();
    client.close();
  };
  return { release, [Symbol.dispose]: () => client.close() };
}

async function storedTexts(db: Database): Promise<string[]> {
  const rows = await db.read.select({ content: messageParts.content }).from(messageParts).orderBy(messageParts.id);
  return rows.map(({ content }) => (JSON.parse(content) as { text: string }).text);
}

describe('a database server that is shared', () => {
  it('loses none of the commits of two databases with ten writers each, also during a checkpoint', async () => {
    await using server = await start();
    let retries = 0;
    const open = () => openDatabase({ url: server.url, observer: { onBusy: () => void (retries += 1) } });
    const databases = [await open(), await open()];
    const { id } = await createSessionRepository(databases[0]!).create({ ownerId: 'own_1' });
    const labels = databases.flatMap((db, name) =>
      Array.from({ length: 10 }, (_, writer) => ({ db, label: `database ${name}, writer ${writer}` })),
    );
    const writing = labels.map(async ({ db, label }) => {
      const repository = createMessageRepository(db);
      for (let i = 0; i < 5; i++) await repository.append(id, say(`${label}: ${i}`));
    });
    const endCheckpoint = await server.beginCheckpoint();
    await expect.poll(() => retries).toBeGreaterThan(3);
    endCheckpoint();
    await Promise.all(writing);

    const expected = labels.flatMap(({ label }) => Array.from({ length: 5 }, (_, i) => `${label}: ${i}`));
    expect((await storedTexts(databases[1]!)).toSorted()).toEqual(expected.toSorted());
    const rows = await databases[0]!.read.select({ seq: messages.seq }).from(messages).orderBy(messages.seq);
    expect(rows.map(({ seq }) => seq)).toEqual(expected.map((_, index) => index + 1));
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
    await expect.poll(() => server.waitingWriters).toBe(1);
    server.expireStreams();
    const { id } = await creating;
    expect(await db.read.select({ id: sessions.id }).from(sessions)).toEqual([{ id }]);
    await db.close();
  });
});

it('a transaction that lost the write lock to another one is run again', async () => {
  await using server = await startLibsqlServer({ copyOf: inject('migratedDatabase'), transactionMs: 100 });
  const [slow, fast] = [await openDatabase({ url: server.url }), await openDatabase({ url: server.url })];
  const { id } = await createSessionRepository(slow).create({ ownerId: 'own_1' });
  let overtaking: Promise<unknown> | undefined;
  let attempts = 0;
  await slow.write(async (tx) => {
    attempts += 1;
    const others = await tx.select({ seq: messages.seq }).from(messages);
    await insertMessages(tx, id, [say('slow')], others.length + 1);
    await (overtaking ??= createMessageRepository(fast).append(id, say('fast')));
    await insertMessages(tx, id, [say('slow, too')], others.length + 2);
  });
  expect(attempts).toBe(2);
  expect(await storedTexts(slow)).toEqual(['fast', 'slow', 'slow, too']);
  await slow.close();
  await fast.close();
});

type Append = (db: Database, sessionId: string, text: string) => Promise<unknown>;

const ONCE = ['before', 'meanwhile', 'after'];

/** A whole transaction in one request: it knows the position of the message. */
const inOneRequest: Append = (db, sessionId, text) =>
  db.write((tx) => insertMessages(tx, sessionId, [say(text)], 1, { lastSeq: ONCE.indexOf(text) }));

/** A transaction in three requests, because it reads at its beginning and in between. */
const inThreeRequests: Append = (db, sessionId, text) =>
  db.write(async (tx) => {
    await insertMessages(tx, sessionId, [say(text)], 1);
    await tx.get(sql`select 2`);
    tx.later(() => tx.run(sql`update sessions set title = ${text}`));
  });

/** Where the connection of a write may break: at any of its requests, before or after they were carried out. */
const BREAKS: readonly (Break & { readonly append: Append })[] = [
  { append: inOneRequest, at: /^commit/i },
  { append: inThreeRequests, at: /^begin/i },
  { append: inThreeRequests, at: /^select 2/ },
  { append: inThreeRequests, at: /^commit/i },
].flatMap((one) => [
  { ...one, lose: 'request' as const },
  { ...one, lose: 'answer' as const },
]);

describe('a connection that breaks', () => {
  /** Appends three messages, the second of them while something is disturbed. */
  async function appendThrough(
    server: LibsqlServer,
    append: Append,
    disturb: (db: Database) => Promise<unknown>,
  ): Promise<string[]> {
    const db = await openDatabase({ url: server.url });
    const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    await append(db, id, 'before');
    const disturbed = disturb(db);
    await append(db, id, 'meanwhile');
    await disturbed;
    await append(db, id, 'after');
    const texts = await storedTexts(db);
    const rows = await db.read.select({ seq: messages.seq }).from(messages).orderBy(messages.seq);
    expect(rows).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
    await db.close();
    return texts;
  }

  it.each(BREAKS)('at $at of $append.name, with the $lose lost, writes exactly once', async ({ append, ...fault }) => {
    await using server = await startForgetful();
    expect(await appendThrough(server, append, () => server.breakOnce(fault))).toEqual(ONCE);
  });

  it.each([inOneRequest, inThreeRequests])('twice in one commit (%O) writes exactly once', async (append) => {
    await using server = await startForgetful();
    const twice = async () => {
      await server.breakOnce({ at: /^commit/i, lose: 'answer' });
      await server.breakOnce({ at: /^select 1 from write_receipts/, lose: 'answer' });
    };
    expect(await appendThrough(server, append, twice)).toEqual(ONCE);
  });

  it('in a commit that the server carries out later writes exactly once', async () => {
    await using server = await startPatient();
    const carryOut = async () => {
      const late = server.loseUntilLater(/^commit/i);
      await late.lost;
      // The question whether it was committed waits for it.
      await expect.poll(() => server.waitingWriters).toBe(1);
      await late.carryOut();
    };
    expect(await appendThrough(server, inThreeRequests, carryOut)).toEqual(ONCE);
  });

  it('in a commit that comes when its transaction has lost the write lock writes exactly once', async () => {
    await using server = await startLibsqlServer({ copyOf: inject('migratedDatabase'), transactionMs: 100 });
    let late: LateRequest | undefined;
    const texts = await appendThrough(server, inThreeRequests, () => {
      late = server.loseUntilLater(/^commit/i);
      return late.lost;
    });
    await late?.carryOut();
    expect(texts).toEqual(ONCE);
    await using db = await openDatabase({ url: server.url });
    expect(await storedTexts(db)).toEqual(texts);
  });

  it.each(['before', 'after'])(
    'in a whole transaction that is carried out %s the question about it writes exactly once',
    async (order) => {
      await using server = await startPatient();
      const db = await openDatabase({ url: server.url });
      const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
      await inOneRequest(db, id, 'before');
      using lock = await holdWriteLock(server);
      const late = server.loseUntilLater(/^commit/i);
      const appending = inOneRequest(db, id, 'meanwhile');
      await late.lost;
      if (order === 'after') await expect.poll(() => server.waitingWriters).toBe(1);
      const carriedOut = late.carryOut();
      await expect.poll(() => server.waitingWriters).toBe(2);
      await lock.release();
      await Promise.all([appending, carriedOut]);
      await inOneRequest(db, id, 'after');
      expect(await storedTexts(db)).toEqual(ONCE);
      await db.close();
    },
  );

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
