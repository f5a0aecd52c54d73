import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#server/core/errors';
import type { SessionEvent } from '#server/core/conversation/events';
import type { NewMessage } from '#server/core/conversation/messages';
import { withTokens } from '#server/context/part-tokens';
import type { Services } from '#server/services';
import { text } from '#tests/support/arbitrary-history';
import { turns } from '#tests/support/context-session';
import { startTestServices } from '#tests/support/test-services';

const counted = (messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));

async function startSession(services: Services, said: readonly NewMessage[]) {
  const session = await services.sessions.create({ ownerId: 'own_local' });
  const say = (...messages: readonly NewMessage[]) => services.messages.appendMany(session.id, counted(messages));
  await say(...said);
  const detail = async (at = 0) => {
    const record = (await services.compactions.list(session.id))[at];
    return services.context.compaction(session.id, record?.id ?? '');
  };
  return { session, say, detail };
}

const WINDOW = { CONTEXT_WINDOW: '16000' };
const asked: NewMessage = { role: 'user', parts: [text('Build a site for my bakery. Never use blue.')] };

describe('the detail of a compaction', () => {
  it('is the summary with its quoted words, what was kept, and whether it can be undone', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, say, detail } = await startSession(services, [asked, ...turns(12, 500, 60)]);
    await services.builtIn.content.create(
      { type: 'page', title: 'Rye' },
      { actor: 'assistant', sessionId: session.id },
    );
    await services.context.compact(session, { strategy: 'ledger' });

    const first = await detail();
    expect(first.canUndo).toBe(true);
    expect(first.cleared).toEqual([]);
    expect(first.summary?.text).toContain('## Session Summary (Compaction Round 1)');
    expect(first.summary?.userWords[0]).toBe('Build a site for my bakery. Never use blue.');
    expect(first.summary?.ledger).toEqual([
      expect.stringMatching(/^pag_\w{6}: Created the page "Rye" \(rye\)$/),
      expect.stringMatching(/^page "Rye" \(pag_\w{6}, \/rye, draft\)$/),
    ]);
    const { items } = await services.messages.list(session.id, { limit: 1_000 });
    const kept = items.slice(items.findIndex(({ id }) => id === first.compaction.firstKeptMessageId));
    expect(first.kept.map(({ messageId }) => messageId)).toEqual(kept.map(({ id }) => id));
    expect(first.kept.every(({ preview }) => preview.length > 0 && preview.length <= 160)).toBe(true);

    await say(...turns(8, 400, 60));
    // What was said since was not kept by it: it was not there.
    expect((await detail()).kept).toEqual(first.kept);
    await services.context.compact(session, { strategy: 'ledger' });
    expect(await detail(1)).toEqual({ ...first, canUndo: false });
    expect((await detail()).canUndo).toBe(true);
    await services.context.undo(session, (await detail()).compaction.id);
    expect(await detail(1)).toEqual(first);
    expect(await detail()).toMatchObject({ compaction: { status: 'undone' }, canUndo: false });
  });

  it('is, of a prune, which outputs it cleared, before and after its undo', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, detail } = await startSession(services, turns(9, 1_500));
    const { outputsPruned, compactionId } = await services.context.prune(session);
    const pruned = await detail();
    expect(pruned).toMatchObject({ compaction: { id: compactionId }, summary: null, kept: [], canUndo: true });
    expect(pruned.cleared).toHaveLength(outputsPruned);
    for (const { tokens } of pruned.cleared) expect(tokens).toBeGreaterThan(1_000);
    await services.context.undo(session, pruned.compaction.id);
    expect((await detail()).cleared).toEqual(pruned.cleared);
  });

  it('cannot be undone while another one runs; an unknown one is not found', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, detail } = await startSession(services, [asked, ...turns(12, 500, 60)]);
    await services.context.compact(session, { strategy: 'ledger' });
    await services.compactions.acquire(session.id, { leaseOwner: 'own_other', leaseMs: 60_000 });
    expect((await detail()).canUndo).toBe(false);
    const { compaction } = await detail();
    const other = await services.sessions.create({ ownerId: 'own_local' });
    await expect(services.context.compaction(other.id, compaction.id)).rejects.toThrow(NotFoundError);
  });
});

describe('an undo', () => {
  it('is reported to the followers of the session, with the new figures', async () => {
    await using services = await startTestServices(WINDOW);
    const { session } = await startSession(services, [asked, ...turns(12, 500, 60)]);
    const record = await services.context.compact(session, { strategy: 'ledger' });
    await services.events.flush();
    const from = await services.events.newestId(session.id);
    await services.context.undo(session, record?.id ?? '');
    await services.events.flush();
    const heard: SessionEvent[] = [];
    const reader = services.events.follow(session.id, from).getReader();
    while (heard.length < 2) {
      const { value, done } = await reader.read();
      if (done) break;
      heard.push(value);
    }
    await reader.cancel();
    expect(heard.map(({ name }) => name)).toEqual(['compaction:undone', 'context:usage']);
    expect(heard[0]?.data).toEqual({
      compactionId: record?.id,
      strategy: 'ledger',
      messages: [expect.objectContaining({ role: 'assistant' })],
    });
  });
});
