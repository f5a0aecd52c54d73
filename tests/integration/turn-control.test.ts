import { describe, expect, it, vi } from 'vitest';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { type OpenRouterChat, startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { isSummaryRequest } from '#tests/support/summary-requests';

async function send({ services, session }: OpenRouterChat, text: string) {
  const current = await services.sessions.get(session.id);
  return services.chat.send({
    session: current,
    texts: [text],
    modelId: null,
    scopes: scopesOfRole.admin,
    clientRequestId: null,
  });
}

async function eventNames({ services, session }: OpenRouterChat): Promise<string[]> {
  await services.events.flush();
  const reader = services.events.follow(session.id, 0).getReader();
  const newest = await services.events.newestId(session.id);
  const names: string[] = [];
  for (let id = 0; id < newest;) {
    const { value } = await reader.read();
    id = value!.id;
    names.push(value!.name);
  }
  await reader.cancel();
  return names;
}

/** Steps are answered immediately, summaries when the test releases them. */
function holdSummary(answer: FakeResponse = { text: 'Done.' }) {
  const go = Promise.withResolvers<void>();
  const respond = async (request: Parameters<typeof isSummaryRequest>[0]): Promise<FakeResponse> => {
    if (!isSummaryRequest(request)) return answer;
    await go.promise;
    return { text: summaryText };
  };
  return { respond, release: go.resolve };
}

describe('a turn that is cancelled', () => {
  it('closes the connection to the provider before the first token', async () => {
    await using chat = await startOpenRouterChat([{ hang: true }]);
    await send(chat, 'Hello?');
    await chat.provider.waitForRequest();
    expect(await chat.services.chat.cancel(chat.session.id)).toEqual({ cancelled: true, persisted: null });
    await chat.provider.waitForRequest(({ state }) => state === 'client-closed');
  });

  it('ends its running compaction, and the session is free', async () => {
    const held = holdSummary();
    await using chat = await startOpenRouterChat(held.respond);
    await talkBefore(chat, 14_000);
    await send(chat, 'Go on');
    await chat.provider.waitForRequest(isSummaryRequest);
    await chat.services.chat.cancel(chat.session.id);
    await chat.provider.waitForRequest(({ state }) => state === 'client-closed');
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
    expect(await chat.services.sessions.get(chat.session.id)).toMatchObject({ currentlyCompacting: false });
    expect(chat.steps()).toEqual([]);
    expect((await chat.services.messages.list(chat.session.id, { limit: 1_000 })).items.at(-1)).toMatchObject({
      role: 'assistant',
      parts: [],
      finishReason: 'cancelled',
    });

    held.release();
    await send(chat, 'Now then');
    await chat.services.chat.idle();
    expect((await chat.services.messages.list(chat.session.id, { limit: 1_000 })).items.at(-1)).toMatchObject({
      status: 'complete',
    });
  });
});

describe('a message that comes while a compaction has the session', () => {
  it('waits, and starts as soon as it has settled', async () => {
    const held = holdSummary();
    await using chat = await startOpenRouterChat(held.respond);
    await talkBefore(chat, 9_000);
    const compacted = chat.services.context.compact(await chat.services.sessions.get(chat.session.id));
    await chat.provider.waitForRequest(isSummaryRequest);
    expect(await send(chat, 'Are you there?')).toMatchObject({ kind: 'queued', position: 1 });
    expect(chat.steps()).toEqual([]);
    held.release();
    await compacted;
    await vi.waitFor(() => expect(chat.steps()).toHaveLength(1));
    await chat.services.chat.idle();
    expect(JSON.stringify(chat.steps()[0]?.messages.at(-1))).toContain('Are you there?');
    expect((await eventNames(chat)).filter((name) => name !== 'context:usage' && name !== 'queue:changed')).toEqual([
      'compaction:start',
      'message:queued',
      'compaction:complete',
      'turn:start',
      'message:dequeued',
      'turn:end',
    ]);
  });
});
