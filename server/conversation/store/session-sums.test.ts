import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import type { NewMessage } from '#server/core/conversation/messages';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { supersede } from '#server/conversation/store/replace-message';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { compactionCommit } from '#tests/support/compaction-commit';
import { itWithDatabase as it } from '#tests/support/test-database';

/* Compares the sums stored with a session with a full sum of their sources. */

const usage = fc.option(
  fc.record({ inputTokens: fc.constant(9), outputTokens: fc.constant(9), cost: fc.integer({ min: 0, max: 900 }) }),
);
const tokens = fc.record({ tokensBefore: fc.nat(900), tokensAfter: fc.nat(900) });
const seen = fc.option(fc.dictionary(fc.constantFrom('pag_1', 'sec_1', 'pag_1.title'), fc.nat(20)));
const step = fc.oneof(
  fc.record({ do: fc.constant('say' as const), usage }),
  fc.record({ do: fc.constant('report' as const), pick: fc.nat(20), usage }),
  fc.record({ do: fc.constant('use tool' as const), seen, later: seen }),
  fc.record({ do: fc.constant('supersede' as const), pick: fc.nat(20) }),
  fc.record({ do: fc.constant('import' as const), count: fc.constantFrom(1, 3, 201), usage }),
  fc.record({ do: fc.constant('compact' as const), tokens, usage }),
  fc.record({ do: fc.constant('prune' as const), tokens }),
  fc.record({ do: fc.constant('fail' as const), usage }),
  fc.record({ do: fc.constant('undo' as const), pick: fc.nat(5) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Play {
  readonly #db: Database;
  readonly #messages;
  readonly #compactions;
  readonly #sessionId: string;
  #said: { readonly id: string; readonly seq: number }[] = [];

  constructor(db: Database, sessionId: string) {
    this.#db = db;
    this.#messages = createMessageRepository(db);
    this.#compactions = createCompactionRepository(db);
    this.#sessionId = sessionId;
  }

  async #say(message: NewMessage) {
    const said = await this.#messages.append(this.#sessionId, message);
    this.#said.push(said);
    return said;
  }

  async do(action: Step): Promise<void> {
    const id = this.#sessionId;
    const compactions = this.#compactions;
    switch (action.do) {
      case 'say':
        await this.#say({ role: 'assistant', parts: [], usage: action.usage });
        return;
      case 'report': {
        const message = this.#said.at(action.pick % Math.max(1, this.#said.length));
        if (message && action.usage) await this.#messages.updateMessage(message.id, { usage: action.usage });
        return;
      }
      case 'use tool': {
        const content = (places: Record<string, number> | null) => ({
          toolCallId: 'call',
          toolName: 'get_content',
          output: { type: 'text' as const, value: 'A page' },
          ...(places && { seen: places }),
        });
        const part = { type: 'tool-result' as const, state: 'completed' as const, content: content(action.seen) };
        const { parts } = await this.#say({ role: 'tool', parts: [part] });
        if (action.later && !action.seen)
          await this.#messages.updatePart(parts[0]!.id, { content: content(action.later) });
        return;
      }
      case 'supersede': {
        const from = this.#said.at(action.pick % Math.max(1, this.#said.length));
        if (!from) return;
        this.#said = this.#said.filter(({ seq }) => seq < from.seq);
        await this.#db.write((tx) => supersede(tx, id, { seq: from.seq, turnIds: [] }, `msg_instead_of_${from.id}`));
        return;
      }
      case 'import': {
        const message: NewMessage = {
          role: 'user',
          parts: [{ type: 'text', content: { text: 'Once' } }],
          usage: action.usage,
        };
        await this.#messages.appendMany(
          id,
          Array.from({ length: action.count }, () => message),
        );
        return;
      }
      case 'compact':
        await compactions.recordCompaction(id, compactionCommit({ ...action.tokens, usage: action.usage }));
        return;
      case 'prune':
        await compactions.recordPrune(id, { ...compactionCommit(action.tokens), modelId: 'a/model', parts: [] });
        return;
      case 'fail':
        await compactions.recordFailure(id, {
          ...compactionCommit({ usage: action.usage }),
          error: uncodedText('No answer'),
        });
        return;
      case 'undo': {
        const all = await compactions.list(id, { status: 'completed' });
        const one = all.at(action.pick % Math.max(1, all.length));
        if (one) await compactions.undo(id, one.id).catch(() => undefined);
      }
    }
  }
}

async function kept(db: Database, sessionId: string) {
  const [sums] = await db.read.all(sql`
    select cost, message_count, removed_tokens from sessions where id = ${sessionId}`);
  return { ...(sums as object), seen: await createMessageRepository(db).seenIn(sessionId) };
}

async function lookedAt(db: Database, sessionId: string) {
  const [sums] = await db.read.all(sql`select
    (select sum(json_extract(usage, '$.cost')) from (
      select usage from messages where session_id = ${sessionId}
      union all select usage from compactions where session_id = ${sessionId})) as cost,
    (select count(*) from messages where session_id = ${sessionId} and not is_summary and superseded_by is null)
      as message_count,
    (select coalesce(sum(max(0, tokens_before - tokens_after)), 0) from compactions
      where session_id = ${sessionId} and status = 'completed') as removed_tokens`);
  const seenPlaces = await db.read.all<{ key: string; revision: number }>(sql`
    select seen.key as key, max(seen.value) as revision
    from message_parts part join messages message on message.id = part.message_id
      join json_each(part.content, '$.seen') seen
    where part.session_id = ${sessionId} and message.superseded_by is null group by 1`);
  return {
    ...(sums as object),
    seen: Object.fromEntries(seenPlaces.map(({ key, revision }) => [key, revision])),
  };
}

it('equals a full sum after any messages, compactions, undos and replacements', async ({ db }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
      const play = new Play(db, id);
      for (const action of steps) await play.do(action);
      expect(await kept(db, id)).toEqual(await lookedAt(db, id));
    }),
    { numRuns: 30 },
  );
});

it('has nothing of an import that is not through', async ({ db }) => {
  const { id } = await createSessionRepository(db).create({ ownerId: 'own_1' });
  const before = await kept(db, id);
  const messages: NewMessage[] = Array.from({ length: 300 }, () => ({
    role: 'user',
    parts: [{ type: 'text', content: { text: 'Once' } }],
    usage: { inputTokens: 1, outputTokens: 1, cost: 3 },
  }));
  let pieces = 0;
  const failing: Database = {
    ...db,
    write: async (work, order) => {
      pieces += 1;
      if (pieces > 4) throw new Error('The disk is full');
      return db.write(work, order);
    },
  };
  await expect(createMessageRepository(failing).appendMany(id, messages)).rejects.toThrow('The disk is full');
  const [row] = await db.read.all<{ n: number }>(sql`select count(*) as n from messages where session_id = ${id}`);
  expect(row!.n).toBeGreaterThan(0);
  expect(await kept(db, id)).toEqual(before);
});
