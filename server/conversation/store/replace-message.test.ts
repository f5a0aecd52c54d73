import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { Message } from '#server/core/conversation/messages';
import type { CompactionCommit } from '#server/context/ports';
import { createHistorySearch } from '#server/conversation/store/search/history-search';
import { replacementsQuery } from '#server/conversation/store/message-repository';
import { compactions } from '#server/platform/database/schema/sessions';
import { compactionCommit } from '#tests/support/compaction-commit';
import { queryPlan } from '#tests/support/query-plan';
import {
  call,
  createTurnSession,
  lease,
  result,
  say,
  textOf,
  type TurnSession,
  itWithTurns as it,
} from '#tests/support/turn-session';
import { isDeep } from '#tests/support/deep';

/** A turn of a request, a call with its result, and an answer. */
async function turnOf(t: TurnSession, request: string, replaces?: string) {
  const { turn, message } = await t.start(request, replaces === undefined ? {} : { replaces });
  const of = { turnId: turn.id, parentId: message.id };
  await t.messages.append(t.sessionId, { ...of, role: 'assistant', parts: [call(`call_${message.id}`, 'completed')] });
  await t.messages.append(t.sessionId, { ...of, role: 'tool', parts: [result(`call_${message.id}`)] });
  const answer = { type: 'text', content: { text: `Answer to ${request}` } } as const;
  await t.messages.append(t.sessionId, { ...of, role: 'assistant', parts: [answer] });
  await t.end(turn.id);
  return { turn, message };
}

const everything = async (t: TurnSession) =>
  (await t.messages.list(t.sessionId, { summaries: true, superseded: true, limit: 1_000 })).items;
const texts = (messages: readonly Message[]) =>
  messages.map(({ parts }) => textOf(parts)).filter((text) => text !== '');

/** A compaction of everything before a message. */
async function compactBefore(t: TurnSession, first: Message, extra: Partial<CompactionCommit> = {}) {
  const compacted = (await t.load()).filter(({ seq }) => seq < first.seq);
  const compactedMessageIds = compacted.map(({ id }) => id);
  const commit = compactionCommit({ compactedMessageIds, firstKeptMessageId: first.id, ...extra });
  const { compaction } = await t.compactions.recordCompaction(t.sessionId, commit);
  return compaction;
}

describe('a message that replaces the newest', () => {
  it('supersedes it and all that followed, deletes nothing, and begins its turn', async ({ t }) => {
    await turnOf(t, 'One');
    const second = await turnOf(t, 'Two');
    const before = await everything(t);
    const { turn, message, dequeued } = await t.start('Three', { replaces: second.message.id });
    expect(turn).toMatchObject({ status: 'running', userMessageId: message.id });
    expect(dequeued).toEqual([]);

    expect(texts(await t.load())).toEqual(['One', 'Answer to One', 'Three']);
    expect(texts((await t.messages.list(t.sessionId)).items)).toEqual(['One', 'Answer to One', 'Three']);
    expect(texts(await t.messages.loadBefore(t.sessionId, 99))).toEqual(['One', 'Answer to One', 'Three']);
    const after = await everything(t);
    expect(after).toEqual([
      ...before.map((old) => ({ ...old, supersededBy: old.turnId === second.turn.id ? message.id : null })),
      message,
    ]);
    expect(await t.messages.earlierVersion(t.sessionId, message.id)).toEqual(after.slice(4, 8));
    expect(await t.messages.replacements([second.message.id, message.id])).toEqual(new Set([message.id]));
  });

  it('is found among shown messages without reading the session', async ({ t }) => {
    const plan = await queryPlan(t.db, replacementsQuery(t.db.read, ['msg_1', 'msg_2']));
    expect(plan).toEqual([expect.stringMatching(/USING COVERING INDEX messages_superseded \(superseded_by=\?\)/)]);
  });

  it('supersedes messages drained during the turn too, and can itself be replaced', async ({ t }) => {
    const { turn, message } = await t.start('One');
    await t.queue('And this');
    const drained = await t.turns.drain(turn.id, lease.leaseOwner, 1_000);
    await t.end(turn.id);
    await expect(t.start('Two', { replaces: drained!.message.id })).rejects.toThrow(ConflictError);
    const second = await turnOf(t, 'Two', message.id);
    const third = await turnOf(t, 'Three', second.message.id);
    expect(texts(await t.load())).toEqual(['Three', 'Answer to Three']);
    expect(texts(await t.messages.earlierVersion(t.sessionId, third.message.id))).toEqual(['Two', 'Answer to Two']);
    expect(texts(await t.messages.earlierVersion(t.sessionId, second.message.id))).toEqual(['One', 'And this']);
  });

  it('denies what waited for approval, and supersedes the denial too', async ({ t }) => {
    const { turn, message } = await t.start('Delete it');
    const parts = [call('call_1')];
    const { parts: stored } = await t.messages.append(t.sessionId, { role: 'assistant', turnId: turn.id, parts });
    const approvals = stored.map(({ id }) => ({ partId: id, effect: null }));
    await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals });
    await t.start('Rather not', { replaces: message.id });
    expect(await t.turns.pendingApprovals(t.sessionId)).toEqual([]);
    expect(texts(await t.load())).toEqual(['Rather not']);
    expect((await everything(t)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('of an imported conversation takes the place of its last request', async ({ t }) => {
    const answer = { role: 'assistant', parts: [{ type: 'text', content: { text: 'Ok' } }] } as const;
    const [, last] = await t.messages.appendMany(t.sessionId, [say('One'), say('Two'), answer]);
    expect(await t.turns.replaceable(t.sessionId, last!.id)).toEqual([]);
    await t.start('Three', { replaces: last!.id });
    expect(texts(await t.load())).toEqual(['One', 'Three']);
  });
});

describe('a message that cannot take the place of another', () => {
  /** @returns the conflict's words; nothing may have changed */
  async function refused(t: TurnSession, messageId: string): Promise<string> {
    const before = [await everything(t), await t.turns.queue(t.sessionId), await t.turns.pendingApprovals(t.sessionId)];
    const request = t.request('Instead', { replaces: messageId, clientRequestId: 'r' });
    const error = await t.turns.begin(request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConflictError);
    await expect(t.turns.replaceable(t.sessionId, messageId)).rejects.toThrow((error as Error).message);
    expect(await t.turns.findAccepted(t.sessionId, 'r')).toBeNull();
    const after = [await everything(t), await t.turns.queue(t.sessionId), await t.turns.pendingApprovals(t.sessionId)];
    expect(after).toEqual(before);
    return (error as Error).message;
  }

  it('because a turn runs', async ({ t }) => {
    const { message } = await t.start('One');
    expect(await refused(t, message.id)).toMatch(/An answer is being written/);
  });

  it('because a compaction has the session, until that is over', async ({ t }) => {
    const { message } = await turnOf(t, 'One');
    await t.compactions.acquire(t.sessionId, lease);
    expect(await refused(t, message.id)).toMatch(/is being summarized/);
    t.clock.time += lease.leaseMs;
    await t.start('Two', { replaces: message.id });
  });

  it('because others wait, held or not', async ({ t }) => {
    const { turn, message } = await t.start('One');
    await t.queue('And this');
    await t.end(turn.id);
    expect(await refused(t, message.id)).toMatch(/Messages are waiting/);
    await t.turns.requestCancel(t.sessionId);
    expect(await refused(t, message.id)).toMatch(/Messages are waiting/);
  });

  it('because it is not the newest, superseded, an answer, of another session or unknown', async ({ t }) => {
    const first = await turnOf(t, 'One');
    const second = await turnOf(t, 'Two');
    await turnOf(t, 'Three', second.message.id);
    const other = await t.sessions.create({ ownerId: 'own_1' });
    const elsewhere = await t.messages.append(other.id, say('Elsewhere'));
    const answer = (await t.load()).at(-1)!;
    for (const id of [first.message.id, second.message.id, answer.id, elsewhere.id, 'msg_none'])
      expect(await refused(t, id)).toMatch(/Only the newest message/);
    await expect(t.turns.replaceable('ses_none', 'msg_none')).rejects.toThrow(NotFoundError);
  });

  it('because a summary has it, or some of what followed it; no longer once that is undone', async ({ t }) => {
    const { message } = await turnOf(t, 'One');
    const answer = (await t.load()).at(-1)!;
    const whole = await compactBefore(t, answer);
    // As rows were stored when no message after the summary was kept.
    await t.db.write((tx) => tx.update(compactions).set({ firstKeptMessageId: null }));
    expect(await refused(t, message.id)).toMatch(/already part of a summary/);
    await t.compactions.undo(t.sessionId, whole.id);
    const inside = await compactBefore(t, answer, { keptAfterSummary: [message.id] });
    expect(await refused(t, message.id)).toMatch(/already part of a summary/);
    await t.compactions.undo(t.sessionId, inside.id);
    await t.start('Two', { replaces: message.id });
    expect(texts(await t.load())).toEqual(['Two']);
  });
});

describe('superseded messages', () => {
  it('is not in a summary that was begun before and comes late', async ({ t }) => {
    const { message } = await turnOf(t, 'One');
    await t.compactions.acquire(t.sessionId, lease);
    t.clock.time += lease.leaseMs;
    await t.start('Two', { replaces: message.id });
    const commit = compactionCommit({ compactedMessageIds: [message.id], summary: 'One was asked.' });
    const late = t.compactions.recordCompaction(t.sessionId, commit, lease.leaseOwner);
    await expect(late).rejects.toThrow(ConflictError);
  });

  it('is neither found nor read again', async ({ t }) => {
    const history = createHistorySearch(t.db);
    const { message } = await turnOf(t, 'A zebra 斑马');
    const [part] = message.parts;
    expect(await history.search(t.sessionId, 'zebra')).toHaveLength(2);
    await turnOf(t, 'A lion', message.id);
    for (const query of ['zebra', '斑马']) expect(await history.search(t.sessionId, query)).toEqual([]);
    expect(await history.search(t.sessionId, 'lion')).toHaveLength(2);
    expect(await history.readPart(t.sessionId, part!.id)).toBeNull();
  });

  it('does not crowd out valid hits, even if it fills every page of hits', async ({ t }) => {
    const history = createHistorySearch(t.db);
    const standing: string[] = [];
    for (const words of [40, 5, 20]) {
      const { message } = await turnOf(t, `zebra ${'grass '.repeat(words)}`);
      standing.push(message.id);
    }
    const { turn, message } = await t.start('A lion');
    const zebra = { type: 'text', content: { text: 'zebra' } } as const;
    for (let count = 0; count < 60; count += 1)
      await t.messages.append(t.sessionId, { role: 'assistant', turnId: turn.id, parts: [zebra] });
    await t.end(turn.id);
    const best = async () => (await history.search(t.sessionId, 'zebra', { limit: 50 })).map((hit) => hit.messageId);
    expect(await best()).not.toEqual(expect.arrayContaining(standing));
    await turnOf(t, 'A tiger', message.id);
    const [long, short, middle] = standing;
    // Of hits with the same words, the newest is first.
    expect((await best()).filter((id) => standing.includes(id))).toEqual([middle, short, long]);
  });

  it('never returns to the view after edits, compactions and undos, and calls keep results', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ do: 'say' } as const) },
      { weight: 4, arbitrary: fc.constant({ do: 'replace' } as const) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const), at: fc.nat(20), keep: fc.boolean() }) },
      { weight: 2, arbitrary: fc.constant({ do: 'undo' } as const) },
    );
    await using t = await createTurnSession();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { id: sessionId } = await t.sessions.create({ ownerId: 'own_1' });
        const s = { ...t, sessionId, ...within(t, sessionId) };
        /** Requests that stand, oldest first. */
        const standing: Message[] = [];
        for (const [index, action] of steps.entries()) {
          t.clock.time += 1;
          const newest = standing.at(-1);
          if (action.do === 'say') standing.push((await turnOf(s, `Request ${index}`)).message);
          if (action.do === 'replace' && newest) {
            const fits = await t.turns.replaceable(sessionId, newest.id).then(
              () => true,
              () => false,
            );
            const sent = turnOf(s, `Request ${index}`, newest.id);
            if (fits) standing.splice(-1, 1, (await sent).message);
            else await expect(sent).rejects.toThrow(ConflictError);
          }
          if (action.do === 'compact') {
            // Cuts stand before requests, as the engine's do, or inside of the newest turn.
            const view = await s.load();
            const cuts = view.filter(({ role, parts }) => role === 'user' || textOf(parts) !== '').slice(1);
            const first = cuts[action.at % cuts.length];
            const kept = action.keep && newest && first && newest.seq < first.seq ? [newest.id] : [];
            if (first) await compactBefore(s, first, { keptAfterSummary: kept });
          }
          if (action.do === 'undo') {
            const record = (await t.compactions.list(sessionId)).find(({ status }) => status === 'completed');
            if (record) await t.compactions.undo(sessionId, record.id);
          }
          await expectSound(t, sessionId, standing);
        }
      }),
      { numRuns: isDeep ? 300 : 25 },
    );
  });
});

/** What of a turn session is about its own session, for another one. */
function within(t: TurnSession, sessionId: string): Pick<TurnSession, 'start' | 'load'> {
  return {
    start: (message, changes) => t.start(message, { ...changes, sessionId }),
    load: async () => (await t.messages.loadView(sessionId)).messages,
  };
}

async function expectSound(t: TurnSession, sessionId: string, standing: readonly Message[]): Promise<void> {
  const { leading, kept, summary, messages } = await t.messages.loadView(sessionId);
  const shown = [...leading, ...kept, ...messages];
  expect(shown.filter(({ supersededBy }) => supersededBy !== null)).toEqual([]);
  const requests = shown.filter(({ role }) => role === 'user').map(({ id }) => id);
  const wanted = standing.map(({ id }) => id);
  if (!summary) expect(requests).toEqual(wanted);
  expect(wanted.slice(wanted.length - requests.length)).toEqual(requests);
  const calls = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === 'tool-call') calls.add(part.content.toolCallId);
    if (part.type === 'tool-result') calls.delete(part.content.toolCallId);
  }
  expect([...calls]).toEqual([]);
  const before = await t.messages.loadBefore(sessionId, 1_000);
  expect(before.filter(({ role }) => role === 'user').map(({ id }) => id)).toEqual(wanted);
}
