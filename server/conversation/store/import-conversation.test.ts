import { count, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import type { Database } from '#server/platform/database/database';
import { createHistorySearch } from '#server/conversation/store/search/history-search';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { LeaseWatch, newLease } from '#server/platform/database/leases';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { createSessionOverviews } from '#server/conversation/store/sessions/session-overviews';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTurnRepository } from '#server/conversation/store/turn-repository';
import { createTestDatabase } from '#tests/support/test-database';

const MESSAGES = 500;
const say = (text: string): NewMessage => ({ role: 'user', parts: [{ type: 'text', content: { text } }] });
const conversation = Array.from({ length: MESSAGES }, (_, index) => say(`Kiln ${index}`));
const textsOf = (found: readonly { readonly parts: readonly { readonly content: object }[] }[]) =>
  found.map(({ parts: [first] }) => (first && 'text' in first.content ? first.content.text : null));
const request = (sessionId: string) =>
  ({
    sessionId,
    message: say('And now?'),
    modelId: null,
    leaseOwner: 'own_me',
    leaseMs: 60_000,
    maxTokens: 10_000,
    clientRequestId: null,
    scopes: ['admin'],
  }) as const;

/** A session with one message, and a database that calls `between` before each write of the import. */
async function setUp(between: (write: number) => Promise<void> = async () => undefined) {
  const db = await createTestDatabase();
  /** `step`: how far the clock was set, while no time passed. */
  const clock = { time: 1_000, step: 0 };
  const now = () => clock.time + clock.step;
  const watch = new LeaseWatch(() => clock.time);
  const session = await createSessionRepository(db, now).create({ ownerId: 'own_1' });
  const { id } = session;
  await createMessageRepository(db, now).append(id, say('Before'));
  let writes = 0;
  const write: Database['write'] = async (work) => {
    await between((writes += 1));
    return db.write(work);
  };
  const importing = createMessageRepository({ ...db, write }, now, watch);
  const stored = createMessageRepository(db, now, watch);
  return { db, clock, now, watch, id, importing, stored, turns: createTurnRepository(db, now, watch) };
}

async function rowsOf(db: Database, table: typeof messages | typeof messageParts): Promise<number> {
  const [row] = await db.read.select({ rows: count() }).from(table);
  return row?.rows ?? 0;
}

describe('appending a long conversation', () => {
  it('stores it in pieces, in order and after existing messages, with its instructions', async () => {
    const sizes: number[] = [];
    const note = async () => {
      const [row] = await t.db.read.select({ rows: count() }).from(messageParts);
      sizes.push(row?.rows ?? 0);
    };
    const t = await setUp(note);
    const appended = await t.importing.appendMany(t.id, conversation, { instructions: 'Be brief.' });
    await note();
    expect(Math.max(...sizes.map((size, index) => size - (sizes[index - 1] ?? 1)))).toBeLessThanOrEqual(200);
    const all = await t.stored.loadFrom(t.id, 0);
    expect(textsOf(all)).toEqual(['Before', ...textsOf(conversation)]);
    expect(appended).toEqual(all.slice(1));
    const session = await createSessionRepository(t.db, t.now).get(t.id);
    expect(session).toMatchObject({ instructions: 'Be brief.', currentlyCompacting: false });
    await t.db.close();
  });

  it('hides it until it is complete, and refuses turns, messages and imports until then', async () => {
    const seen: unknown[] = [];
    const t = await setUp(async (write) => {
      if (write !== 4) return;
      const session = await createSessionRepository(t.db, t.now).get(t.id);
      const [overview] = (await createSessionOverviews(t.db, t.now).list({})).items;
      seen.push(
        session.updatedAt,
        session.instructions,
        overview?.messageCount,
        textsOf((await t.stored.list(t.id, { superseded: true, summaries: true })).items),
        textsOf((await t.stored.loadView(t.id)).messages),
        textsOf(await t.stored.loadFrom(t.id, 0)),
        await createHistorySearch(t.db).search(t.id, 'kiln'),
      );
      await expect(t.stored.appendMany(t.id, [say('Short')])).rejects.toThrow(ConflictError);
      await expect(t.stored.appendMany(t.id, conversation)).rejects.toThrow(ConflictError);
      expect(await t.turns.begin(request(t.id))).toMatchObject({ kind: 'queued' });
    });
    const before = t.clock.time;
    t.clock.time = 2_000;
    await t.importing.appendMany(t.id, conversation, { instructions: 'Be brief.' });
    expect(seen).toEqual([before, null, 1, ['Before'], ['Before'], ['Before'], []]);
    expect(await t.stored.loadFrom(t.id, 0)).toHaveLength(MESSAGES + 1);
    expect(await t.turns.sessionsWithQueue()).toEqual([t.id]);
    await t.db.close();
  });

  it('stores it with title, instructions and preferences, or nothing, whichever write fails', async () => {
    const adopted = {
      instructions: 'Be brief.',
      title: 'Kilns',
      wishes: [{ quote: 'Kiln 7', message: 7 }],
    };
    const outcomes: string[] = [];
    let writes = 0;
    for (let failing = 1; outcomes.at(-1) !== 'never reached'; failing += 1) {
      writes = 0;
      const t = await setUp(async (write) => {
        writes = write;
        if (write === failing) throw new Error('The disk is full.');
      });
      const before = await t.db.read.select().from(sessions);
      const stored = await t.importing.appendMany(t.id, conversation, adopted).catch(() => null);
      const [after] = await t.db.read.select().from(sessions);
      const wishes = await createPreferenceRepository(t.db).keptWishes(t.id);
      if (stored === null) {
        expect([after]).toEqual(before);
        expect([await rowsOf(t.db, messages), await rowsOf(t.db, messageParts)]).toEqual([1, 1]);
        expect(wishes).toEqual([]);
      } else {
        expect(after).toMatchObject({ instructions: 'Be brief.', title: 'Kilns' });
        expect(wishes).toMatchObject([{ quote: 'Kiln 7', messageId: stored[7]!.id }]);
      }
      outcomes.push(writes < failing ? 'never reached' : stored === null ? 'nothing' : 'all');
      await t.db.close();
    }
    // Only what lets go of the session comes after the write that makes it stand.
    expect(outcomes.slice(-3)).toEqual(['nothing', 'all', 'never reached']);
    expect(new Set(outcomes.slice(0, -2))).toEqual(new Set(['nothing']));
  });

  it('leaves nothing if its process dies: the session is free and clean after its lease', async () => {
    const t = await setUp(async (write) => {
      if (write >= 5) throw new Error('The process ended here.');
    });
    await expect(t.importing.appendMany(t.id, conversation)).rejects.toThrow('The process ended here.');
    const [left] = await t.db.read.select({ rows: count() }).from(messages);
    expect(left?.rows).toBeGreaterThan(1);
    await t.turns.releaseDeadCompactions();
    expect(await t.db.read.select({ rows: count() }).from(messages)).toEqual([left]);

    t.clock.time += 120_000;
    expect(await t.turns.releaseDeadCompactions()).toBe(1);
    expect(textsOf(await t.stored.loadFrom(t.id, 0))).toEqual(['Before']);
    expect(await t.db.read.select({ rows: count() }).from(messages)).toEqual([{ rows: 1 }]);
    expect(await t.turns.begin(request(t.id))).toMatchObject({ kind: 'started' });
    await t.db.close();
  });

  it('continues when the clock is set during it', async () => {
    const t = await setUp(async (write) => {
      if (write !== 4) return;
      t.clock.step += 3_600_000;
      await t.turns.releaseDeadCompactions();
      await expect(t.stored.appendMany(t.id, [say('Short')])).rejects.toThrow(ConflictError);
    });
    await t.importing.appendMany(t.id, conversation);
    expect(textsOf(await t.stored.loadFrom(t.id, 0))).toEqual(['Before', ...textsOf(conversation)]);
    await t.db.close();
  });

  it('is refused as a whole if parts of it were removed because it had stalled', async () => {
    const t = await setUp(async (write) => {
      if (write !== 5) return;
      t.clock.time += 120_000;
      const before = await rowsOf(t.db, messageParts);
      const sweeping: Database['write'] = async (work) => {
        const done = await t.db.write(work);
        if ((await rowsOf(t.db, messageParts)) < before) throw new Error('The process that swept ended here.');
        return done;
      };
      const sweeper = createTurnRepository({ ...t.db, write: sweeping }, t.now, t.watch);
      await expect(sweeper.releaseDeadCompactions()).rejects.toThrow('ended here');
    });
    await expect(t.importing.appendMany(t.id, conversation)).rejects.toThrow(ConflictError);
    await t.turns.releaseDeadCompactions();
    expect(await t.db.read.select({ rows: count() }).from(messages)).toEqual([{ rows: 1 }]);
    await t.db.close();
  });

  it('frees the session immediately if its process was killed on this machine', async () => {
    const t = await setUp(async (write) => {
      if (write >= 5) throw new Error('The process ended here.');
    });
    await expect(t.importing.appendMany(t.id, conversation)).rejects.toThrow('The process ended here.');
    const [session] = await t.db.read.select({ owner: sessions.compactionLeaseOwner }).from(sessions);
    const owner = session?.owner ?? '';
    const process = newLease(30_000).leaseOwner.split('/').slice(0, 4);
    // The same id belongs to another process by now.
    const dead = owner.replace(process.join('/'), process.with(3, '1').join('/'));
    await t.db.write(async (tx) => {
      await tx.update(sessions).set({ compactionLeaseOwner: dead });
      await tx.update(messages).set({ supersededBy: dead }).where(eq(messages.supersededBy, owner));
    });
    expect(await t.turns.releaseDeadCompactions()).toBe(1);
    expect(await t.db.read.select({ rows: count() }).from(messages)).toEqual([{ rows: 1 }]);
    expect(await t.turns.begin(request(t.id))).toMatchObject({ kind: 'started' });
    await t.db.close();
  });

  it('is refused while a turn runs, for a session taken by another, and for an unknown one', async () => {
    const t = await setUp();
    await t.turns.begin(request(t.id));
    await expect(t.importing.appendMany(t.id, conversation)).rejects.toThrow('A turn of this conversation is running.');
    expect(await t.stored.loadFrom(t.id, 0)).toHaveLength(2);
    await expect(t.importing.appendMany('ses_none', conversation)).rejects.toThrow(NotFoundError);
    await t.db.close();

    const taken = await setUp(async (write) => {
      if (write === 5) await createSessionRepository(taken.db, taken.now).delete(taken.id);
    });
    await expect(taken.importing.appendMany(taken.id, conversation)).rejects.toThrow(NotFoundError);
    expect(await taken.db.read.select({ rows: count() }).from(messages)).toEqual([{ rows: 0 }]);
    await taken.db.close();
  });
});
