import { count } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { NotFoundError } from '#server/core/errors';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { compactions, messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { createSessionOverviews } from '#server/conversation/store/sessions/session-overviews';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTurnRepository } from '#server/conversation/store/turn-repository';
import { compactionCommit } from '#tests/support/compaction-commit';
import { createTestDatabase } from '#tests/support/test-database';
import { roomy, say } from '#tests/support/turn-session';
import { scopesOfRole } from '#server/core/admin/access-rights';

const MESSAGES = 600;
const ownerId = 'own_1';
const request = { message: say('Go on'), modelId: null, clientRequestId: null, scopes: scopesOfRole.admin, ...roomy };

/** A session of many messages, a compaction and a running turn. */
async function fill(db: Database): Promise<string> {
  const { id } = await createSessionRepository(db).create({ ownerId });
  const repository = createMessageRepository(db);
  const stored = await repository.appendMany(
    id,
    Array.from({ length: MESSAGES }, (_, index) => say(`Line ${index}`)),
  );
  const compactedMessageIds = stored.map((message) => message.id);
  await createCompactionRepository(db).recordCompaction(id, compactionCommit({ compactedMessageIds }));
  await createTurnRepository(db).begin({ ...request, sessionId: id });
  return id;
}

/** The database with a hand on its writes: how many messages and parts each took away, and after which one it fails. */
function watched(db: Database, writesLeft = Infinity) {
  const taken: number[] = [];
  const size = async () => {
    const tables = [messages, messageParts];
    const rows = await Promise.all(tables.map((table) => db.read.select({ rows: count() }).from(table)));
    return rows.map(([row]) => row?.rows ?? 0);
  };
  const write: Database['write'] = async (work) => {
    if (writesLeft-- <= 0) throw new Error('The process ended here.');
    const before = await size();
    const result = await db.write(work);
    const after = await size();
    taken.push(...before.map((rows, index) => rows - after[index]!));
    return result;
  };
  return { db: { ...db, write }, taken };
}

it('deletes a session piece by piece, and leaves nothing of it and all of others', async () => {
  await using db = await createTestDatabase();
  const id = await fill(db);
  const other = await fill(db);
  const { db: watching, taken } = watched(db);
  await createSessionRepository(watching).delete(id);

  expect(Math.max(...taken)).toBeLessThanOrEqual(250);
  expect(await db.read.select({ id: sessions.id }).from(sessions)).toEqual([{ id: other }]);
  for (const table of [messages, messageParts, compactions, turns]) {
    const owners = await db.read.selectDistinct({ sessionId: table.sessionId }).from(table);
    expect(owners).toEqual([{ sessionId: other }]);
  }
  expect(await createMessageRepository(db).loadFrom(other, 0)).toHaveLength(MESSAGES + 2);
});

it('is invisible once its deletion has begun, accepts nothing, and is gone after a restart', async () => {
  await using db = await createTestDatabase();
  const id = await fill(db);
  await createSessionRepository(watched(db, 3).db).delete(id);
  const left = await db.read.select({ id: messages.id }).from(messages);
  expect(left.length).toBeGreaterThan(0);

  const afterRestart = createSessionRepository(db);
  expect(await afterRestart.find(id)).toBeNull();
  expect((await afterRestart.list({ ownerId })).items).toEqual([]);
  expect((await createSessionOverviews(db).list({})).items).toEqual([]);
  for (const late of [
    () => afterRestart.update(id, { title: 'Late' }),
    () => afterRestart.delete(id),
    () => createSessionOverviews(db).get(id),
    () => createMessageRepository(db).append(id, say('Late')),
    () => createTurnRepository(db).begin({ ...request, sessionId: id }),
    () => createCompactionRepository(db).acquire(id, roomy),
  ])
    await expect(late()).rejects.toThrow(NotFoundError);
  expect(await createTurnRepository(db).running(id)).toBeNull();

  await afterRestart.finishDeletions();
  for (const table of [sessions, messages, messageParts, compactions, turns])
    expect(await db.read.select({ rows: count() }).from(table)).toEqual([{ rows: 0 }]);
});
