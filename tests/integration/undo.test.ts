import { describe, expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import { withTokens } from '#server/context/part-tokens';
import type { Services } from '#server/services';
import { call, result, text } from '#tests/support/arbitrary-history';
import { turns } from '#tests/support/context-session';
import { startTestServices } from '#tests/support/test-services';

const counted = (messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));

/** A session whose old outputs are worth clearing and whose talk is worth compacting. */
async function startSession(services: Services, said = turns(12, 500, 60)) {
  const session = await services.sessions.create({ ownerId: 'own_local' });
  await services.messages.appendMany(session.id, counted(said));
  const view = async () => (await services.context.inspect(session)).messages;
  const newest = async () => (await services.compactions.list(session.id)).at(0)?.id ?? '';
  const say = (...messages: NewMessage[]) => services.messages.appendMany(session.id, counted(messages));
  return { session, view, newest, say };
}

const WINDOW = { CONTEXT_WINDOW: '16000' };

describe('undoing', () => {
  it('an older compaction is refused while a newer one builds on it', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, view, newest, say } = await startSession(services);
    await services.context.compact(session);
    const older = await newest();
    await say(...turns(8, 400, 60));
    await services.context.compact(session);
    const before = await view();
    await expect(services.context.undo(session, older)).rejects.toThrow(ConflictError);
    expect(await view()).toEqual(before);
    await services.context.undo(session, await newest());
    expect(await services.context.undo(session, older)).toMatchObject({ id: older, status: 'undone' });
  });

  it('twice, a failed one or one that is not there is refused', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, newest } = await startSession(services, turns(9, 1_500));
    await services.context.prune(session);
    const prune = await newest();
    await services.context.undo(session, prune);
    await services.context.compact(session);
    const compaction = await newest();
    await services.context.undo(session, compaction);
    const failure = { trigger: 'manual', modelId: null, contextWindow: 128_000, durationMs: 1, usage: null } as const;
    await services.compactions.recordFailure(session.id, {
      ...failure,
      strategy: 'ledger',
      tokensBefore: 5,
      error: uncodedText('overloaded'),
    });
    for (const id of [prune, compaction, await newest()]) {
      await expect(services.context.undo(session, id)).rejects.toThrow(ConflictError);
    }
    await expect(services.context.undo(session, 'cmp_none')).rejects.toThrow(NotFoundError);
    const other = await services.sessions.create({ ownerId: 'own_local' });
    await expect(services.context.undo(other, prune)).rejects.toThrow(NotFoundError);
  });

  it('is refused while a compaction of the session runs, of a prune too', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, view, newest } = await startSession(services, turns(9, 1_500));
    await services.context.prune(session);
    const prune = await newest();
    await services.context.compact(session);
    const before = await view();
    const lease = { leaseOwner: 'own_other', leaseMs: 60_000 };
    await services.compactions.acquire(session.id, lease);
    for (const id of [prune, await newest()]) {
      await expect(services.context.undo(session, id)).rejects.toThrow(ConflictError);
    }
    expect(await view()).toEqual(before);
    await services.compactions.release(session.id, lease.leaseOwner);
    expect(await services.context.undo(session, await newest())).toMatchObject({ status: 'undone' });
  });

  it('a compaction brings back what the session worked with', async () => {
    await using services = await startTestServices(WINDOW);
    const { session, newest, say } = await startSession(services);
    const working = async () => services.sessions.workingContext(session.id);
    const visit = (id: string, tool: string) =>
      say(
        { role: 'user', parts: [text(`Use ${tool}`)] },
        { role: 'assistant', parts: [call(id, tool, {})] },
        { role: 'tool', parts: [result(id, 'Done.', tool)] },
        ...turns(8, 400, 60),
      );
    expect(await working()).toBeNull();
    await visit('v1', 'get_settings');
    await services.context.compact(session);
    const [first, one] = [await newest(), await working()];
    expect(one).toMatchObject({ removedTools: expect.arrayContaining(['get_settings']) });
    await visit('v2', 'list_media');
    await services.context.compact(session);
    expect(await working()).toMatchObject({ removedTools: expect.arrayContaining(['list_media']) });
    await services.context.undo(session, await newest());
    expect(await working()).toEqual(one);
    await services.context.undo(session, first);
    expect(await working()).toBeNull();
  });
});
