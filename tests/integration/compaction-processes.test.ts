import { createClient } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { ConflictError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import { defaultSettings } from '#server/context/settings/context-settings';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { StoredSession } from '#server/conversation/store/stored-session';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { type CompactionProcess, startCompactionProcess } from '#tests/support/compaction-process';
import type { WorkerOptions } from '#tests/support/compaction-worker';
import { TOLD, counted, engineWith, requestFor, summarizerOf } from '#tests/support/small-engine';
import { TALL } from '#tests/support/summary-models';
import { createTestDatabase } from '#tests/support/test-database';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

/** A session in a database file that other processes open too, and an engine here whose clock the test sets. */
async function startSession(messages: readonly NewMessage[] = TALL) {
  const database = await createTestDatabase();
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const repository = createCompactionRepository(database, now);
  let refused = Promise.withResolvers<void>();
  const repositories = {
    settings: { current: () => defaultSettings },
    sessions: createSessionRepository(database, now),
    messages: createMessageRepository(database, now),
    preferences: createPreferenceRepository(database, now),
    compactions: {
      ...repository,
      async acquire(...args: Parameters<typeof repository.acquire>) {
        const isOurs = await repository.acquire(...args);
        if (!isOurs) refused.resolve();
        return isOurs;
      },
      async isCompacting(sessionId: string) {
        const isHeld = await repository.isCompacting(sessionId);
        if (isHeld) refused.resolve();
        return isHeld;
      },
    },
  };
  const { id } = await repositories.sessions.create({ ownerId: 'own_local' });
  await repositories.messages.appendMany(id, counted(messages));
  const engine = engineWith({}, now);
  const request = requestFor(
    new StoredSession(repositories, id),
    summarizerOf(() => Promise.resolve(TOLD)),
  );
  return {
    clock,
    engine,
    request,
    /** Resolves once this process has found the session held by another, from now on. */
    async waits(): Promise<void> {
      refused = Promise.withResolvers();
      await refused.promise;
    },
    process: (options: Partial<WorkerOptions> = {}): Promise<CompactionProcess> =>
      startCompactionProcess({ url: database.url, sessionId: id, ...options }),
    session: () => repositories.sessions.get(id),
    rounds: () => repository.list(id),
    view: async () => (await engine.inspect(request)).messages,
    /** Every row of these tables, to the byte. */
    rows: () => rowsOf(database.url, ['messages', 'message_parts', 'compactions']),
    leaseEnd: () => leaseEndOf(database.url),
    /** As if the holder of the session's lease were a process whose death is not visible from here. */
    async hideHolder(): Promise<void> {
      await query(database.url, `update sessions set compaction_lease_owner = 'a process elsewhere'`);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = createClient({ url });
  try {
    return (await client.execute(sql)).rows.map((row) => ({ ...row }));
  } finally {
    client.close();
  }
}

async function rowsOf(url: string, tables: readonly string[]): Promise<unknown[]> {
  return Promise.all(tables.map((table) => query(url, `select * from ${table} order by rowid`)));
}

/** Epoch milliseconds. */
async function leaseEndOf(url: string): Promise<number> {
  const [row] = (await query(url, 'select compaction_lease_expires_at as at from sessions')) as { at: number }[];
  return row?.at ?? 0;
}

describe('a process that is killed while it compacts', () => {
  it.each([
    ['while the summarizer writes', 'asked'],
    ['when all of it is written and not committed', 'written'],
  ] as const)('%s loses nothing, and holds up the next one no longer than its lease', async (_, stopsAt) => {
    await using there = await startSession();
    const { clock, engine, request } = there;
    const [rows, view] = [await there.rows(), await there.view()];
    await using victim = await there.process({ stopsAt });
    victim.tell('prepare');
    await victim.until(stopsAt);
    await victim.kill();
    await there.hideHolder();

    expect(await there.rows()).toEqual(rows);
    expect(await there.view()).toEqual(view);
    const leaseEnd = await there.leaseEnd();
    expect(leaseEnd).toBeLessThanOrEqual(Date.now() + defaultSettings.compactionLease);

    clock.now = leaseEnd - 1;
    expect((await there.session()).currentlyCompacting).toBe(true);
    await expect(engine.compact(request)).rejects.toThrow(ConflictError);
    const outlive = async () => {
      await there.waits();
      expect(await there.rows()).toEqual(rows);
      clock.now = leaseEnd;
    };
    const [prepared] = await Promise.all([engine.prepare(request), outlive()]);
    expect(prepared.compaction).toMatchObject({ round: 1, strategy: 'reactive-overflow' });
    expect(prepared.usage.isOverflow).toBe(false);
    expect(findSequenceProblems(prepared.messages)).toEqual([]);
    expect(await there.session()).toMatchObject({ currentlyCompacting: false, compactionCount: 1 });
    expect(await there.rounds()).toMatchObject([{ status: 'completed', round: 1 }]);
  });

  it('leaves a session that another process of the machine can compact immediately', async () => {
    await using there = await startSession();
    await using victim = await there.process({ stopsAt: 'answered' });
    victim.tell('compact');
    await victim.until('answered');
    await victim.kill();

    expect(await there.leaseEnd()).toBeGreaterThan(there.clock.now);
    expect(await there.engine.compact(there.request)).toMatchObject({ round: 1 });
    expect(await there.session()).toMatchObject({ currentlyCompacting: false, compactionCount: 1 });
  });
});

describe('two processes that compact the same session concurrently', () => {
  it('to prepare a step: one commits, the other continues with the same view', async () => {
    await using there = await startSession();
    const [messages] = await there.rows();
    await using one = await there.process();
    await using other = await there.process();
    for (const each of [one, other]) each.tell('prepare');
    const outcomes = await Promise.all([one, other].map((each) => each.untilOneOf('done', 'refused')));

    const committed = outcomes.map((outcome) => (outcome.at === 'done' ? outcome.round : outcome.at));
    expect(new Set(committed)).toEqual(new Set([1, null]));
    const view = await there.view();
    // By way of JSON, as it came from there.
    const sent = JSON.parse(JSON.stringify(view)) as unknown;
    for (const outcome of outcomes) expect(outcome).toMatchObject({ messages: sent });
    await expectOneRound(there, messages);
  });

  it('manually: one commits, the other is refused', async () => {
    await using there = await startSession();
    const [messages] = await there.rows();
    await using one = await there.process({ stopsAt: 'asked' });
    await using other = await there.process();
    one.tell('compact');
    await one.until('asked');
    other.tell('compact');
    expect(await other.untilOneOf('done', 'refused')).toEqual({ at: 'refused', code: 'conflict' });
    one.tell('go on');
    expect(await one.untilOneOf('done', 'refused')).toMatchObject({ at: 'done', round: 1 });
    await expectOneRound(there, messages);
  });
});

async function expectOneRound(there: Awaited<ReturnType<typeof startSession>>, messages: unknown): Promise<void> {
  expect(await there.rounds()).toMatchObject([{ status: 'completed', round: 1 }]);
  expect(await there.session()).toMatchObject({ currentlyCompacting: false, compactionCount: 1 });
  const [now] = await there.rows();
  // The summary is one more; all that was there before is as it was.
  expect((now as unknown[]).slice(0, -1)).toEqual(messages);
}
