import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import type { SessionState } from '#server/core/conversation/session-overview';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { approvals } from '#server/platform/database/schema/turns';
import { contextSamples, messages, sessions } from '#server/platform/database/schema/sessions';
import { createSessionOverviews, listQuery } from '#server/conversation/store/sessions/session-overviews';
import { queryPlan } from '#tests/support/query-plan';
import { call, createTurnSession, lease, text } from '#tests/support/turn-session';

const OWNER = 'own_1';

async function setUp() {
  const t = await createTurnSession();
  await t.sessions.delete(t.sessionId);
  const overviews = createSessionOverviews(t.db, () => t.clock.time);
  const start = async (sessionId: string) => (await t.start('Hello', { sessionId })).turn.id;
  return {
    ...t,
    overviews,
    start,
    /** Each is used later than the one before it. */
    async newSession(title = 'Pages', ownerId = OWNER) {
      t.clock.time += 10;
      return (await t.sessions.create({ ownerId, title })).id;
    },
    fail: async (sessionId: string) =>
      t.turns.finish(await start(sessionId), { status: 'failed', error: uncodedText('no') }),
    async ask(sessionId: string) {
      const turnId = await start(sessionId);
      const { parts } = await t.messages.append(sessionId, { role: 'assistant', turnId, parts: [call('c1')] });
      const asked = parts.map(({ id }) => ({ partId: id, effect: null }));
      await t.turns.finish(turnId, { status: 'waiting_approval', error: null, approvals: asked });
    },
    queueIn: (sessionId: string) => t.queue('And', { sessionId }),
    state: async (sessionId: string) => (await overviews.get(sessionId)).state,
  };
}

describe('the state of a session', () => {
  it('is the first of several that holds', async () => {
    await using t = await setUp();
    const id = await t.newSession();
    expect(await t.state(id)).toBe('idle');
    await t.fail(id);
    expect(await t.state(id)).toBe('failed');
    const turnId = await t.start(id);
    expect(await t.state(id)).toBe('running');
    await t.queueIn(id);
    await t.turns.requestCancel(id);
    expect(await t.state(id)).toBe('running');
    await t.turns.finish(turnId, { status: 'failed', error: uncodedText('no') });
    expect(await t.state(id)).toBe('held');
    await t.compactions.acquire(id, lease);
    expect(await t.state(id)).toBe('compacting');
    t.clock.time += 1_001;
    expect(await t.state(id)).toBe('held');
    await t.turns.clearQueue(id);
    expect(await t.state(id)).toBe('failed');
  });

  it('waits for an approval while one is pending', async () => {
    await using t = await setUp();
    const id = await t.newSession();
    await t.ask(id);
    expect(await t.state(id)).toBe('waiting_approval');
    await t.db.write((tx) => tx.update(approvals).set({ status: 'approved' }));
    expect(await t.state(id)).toBe('idle');
  });

  it('stops being failed after anything but a summary was appended', async () => {
    await using t = await setUp();
    const id = await t.newSession();
    await t.fail(id);
    await t.messages.append(id, { role: 'assistant', parts: [text('Imported')] });
    expect(await t.state(id)).toBe('idle');
    await t.db.write((tx) => tx.update(messages).set({ isSummary: true }).where(eq(messages.role, 'assistant')));
    expect(await t.state(id)).toBe('failed');
  });
});

describe('the overview of a session', () => {
  it('has the figures of its newest sample, its cost, and its visible messages', async () => {
    await using t = await setUp();
    const [id, other] = [await t.newSession('Spring'), await t.newSession()];
    const sample = (sessionId: string, currentTokens: number) =>
      t.db.write((tx) =>
        tx.insert(contextSamples).values({
          sessionId,
          modelId: 'm',
          contextWindow: 128_000,
          usableTokens: 80_000,
          currentTokens,
          source: 'reported',
          breakdown: '{}',
          createdAt: 1,
        }),
      );
    for (const tokens of [70_000, 20_010]) await sample(id, tokens);
    await sample(other, 5);
    for (const [sessionId, cost] of [
      [id, 0.25],
      [id, 0.5],
      [id, undefined],
      [other, 8],
    ] as const) {
      const message = await t.messages.append(sessionId, { role: 'assistant', parts: [text('Done')] });
      const usage = { inputTokens: 1, outputTokens: 1, ...(cost !== undefined && { cost }) };
      await t.messages.updateMessage(message.id, { usage });
    }
    const [hidden, replaced] = [
      await t.messages.append(id, { role: 'assistant', parts: [text('A summary')] }),
      await t.messages.append(id, { role: 'user', parts: [text('Wrong')] }),
    ];
    await t.db.write(async (tx) => {
      await tx.update(messages).set({ isSummary: true }).where(eq(messages.id, hidden.id));
      await tx.update(messages).set({ supersededBy: 'msg_2' }).where(eq(messages.id, replaced.id));
      await tx.update(sessions).set({ compactionCount: 2, lastCompactionAt: 7 }).where(eq(sessions.id, id));
    });
    const failure = { strategy: 'ledger', trigger: 'overflow', tokensBefore: 1, modelId: null, durationMs: 1 } as const;
    const usage = { inputTokens: 1, outputTokens: 1, cost: 0.125 };
    await t.compactions.recordFailure(id, { ...failure, contextWindow: 1, error: uncodedText('no'), usage });
    await t.start(id);
    for (let count = 0; count < 3; count += 1) await t.queueIn(id);

    expect(await t.overviews.get(id)).toEqual({
      id,
      title: 'Spring',
      modelId: null,
      ownerId: OWNER,
      ownerName: null,
      siteId: 'embedded',
      state: 'running',
      messageCount: 4,
      queued: 3,
      context: { currentTokens: 20_010, usableTokens: 80_000, percentUsed: 25 },
      rounds: 2,
      lastCompactionAt: 7,
      cost: 0.875,
      createdAt: 1_010,
      updatedAt: 1_020,
    });
    expect(await t.overviews.get(other)).toMatchObject({ cost: 8, messageCount: 1, queued: 0 });
    expect(await t.overviews.get(await t.newSession())).toMatchObject({ context: null, cost: null, messageCount: 0 });
    await expect(t.overviews.get('ses_nowhere')).rejects.toThrow(NotFoundError);
  });
});

describe('the list of overviews', () => {
  const titles = ({ items }: { items: readonly { title: string }[] }) => items.map(({ title }) => title);

  it('comes the last used first, in pages, of everybody, by title and state', async () => {
    await using t = await setUp();
    const ids = [];
    for (const title of ['one', 'two', 'three', 'four']) ids.push(await t.newSession(title));
    await t.newSession('five', 'own_2');
    t.clock.time += 10;
    await t.fail(ids[1] ?? '');

    const first = await t.overviews.list({ limit: 2 });
    expect(titles(first)).toEqual(['two', 'five']);
    expect(first.items.map(({ ownerId }) => ownerId)).toEqual([OWNER, 'own_2']);
    const rest = await t.overviews.list({ limit: 50, cursor: first.nextCursor ?? '' });
    expect(titles(rest)).toEqual(['four', 'three', 'one']);
    expect(rest.nextCursor).toBeNull();
    expect(titles(await t.overviews.list({ q: 'F' }))).toEqual(['five', 'four']);
    expect(titles(await t.overviews.list({ state: 'failed' }))).toEqual(['two']);
    expect(titles(await t.overviews.list({ state: 'idle', limit: 3 }))).toEqual(['five', 'four', 'three']);
    const elsewhere = await t.sessions.create({ ownerId: OWNER, title: 'six', siteId: 'wps_1' });
    expect((await t.overviews.list({ site: 'wps_1' })).items).toEqual([await t.overviews.get(elsewhere.id)]);
    expect(await t.overviews.get(elsewhere.id)).toMatchObject({ siteId: 'wps_1' });
    expect(titles(await t.overviews.list({ site: 'embedded', q: 'F' }))).toEqual(['five', 'four']);
    await expect(t.overviews.list({ cursor: 'x' })).rejects.toThrow(InvalidInputError);
  });

  it.each<SessionState | undefined>([undefined, 'failed', 'waiting_approval'])(
    'is read by indexes alone, for any state (%s)',
    async (state) => {
      await using t = await setUp();
      await t.db.write((tx) =>
        tx.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
          insert into ${sessions} (id, title, owner_id, created_at, updated_at)
          select printf('ses_%026d', i), 'Session ' || i, ${OWNER}, i, i from n`),
      );
      const plan = await queryPlan(t.db, listQuery(t.db.read, { state }, 51, 1));
      expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([
        'SCAN sessions USING INDEX sessions_updated',
        'SCAN page',
      ]);
      expect((await t.overviews.list({})).items).toHaveLength(50);
    },
  );
});
