import { describe, expect, it, vi } from 'vitest';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { type OpenRouterChat, startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import type { SendOutcome } from '#server/conversation/turn/turn-service';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** A long answer, a piece every now and then. */
const slow: FakeResponse = { chunks: Array.from({ length: 2_000 }, (_, index) => `word${index} `), chunkDelayMs: 5 };

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

/** Resolves once the answer shows this; what its provider has sent is not yet read. */
async function untilShown(outcome: SendOutcome, words: string): Promise<void> {
  if (outcome.kind !== 'started') throw new Error('It was queued.');
  let shown = '';
  for await (const chunk of outcome.stream) {
    if (chunk.type === 'text-delta') shown += chunk.delta;
    if (shown.includes(words)) return;
  }
  throw new Error(`The answer ended without "${words}".`);
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
  it("closes the provider's call, keeps the text, and the next message works immediately", async () => {
    await using chat = await startOpenRouterChat([slow, { text: 'Here.' }]);
    await untilShown(await send(chat, 'Tell the whole story'), 'word20 ');
    const closed = chat.provider.waitForRequest(({ state }) => state === 'client-closed');
    const cancelled = chat.services.chat.cancel(chat.session.id);
    await closed;
    expect(await cancelled).toEqual({ cancelled: true, persisted: 'partial_assistant' });

    const outcome = await send(chat, 'And now?');
    expect(outcome.kind).toBe('started');
    await chat.services.chat.idle();
    const { items } = await chat.services.messages.list(chat.session.id);
    expect(items[1]).toMatchObject({ status: 'interrupted', finishReason: 'cancelled' });
    expect(JSON.stringify(items[1]?.parts[0]?.content)).toContain('word19 ');
    const sent = chat.steps()[1]?.messages ?? [];
    expect(JSON.stringify(sent.at(-2)?.content)).toContain('[The user stopped this answer here.]');
  });

  it('before the first token lets go of the provider', async () => {
    await using chat = await startOpenRouterChat([{ hang: true }]);
    await send(chat, 'Hello?');
    await chat.provider.waitForRequest();
    expect(await chat.services.chat.cancel(chat.session.id)).toEqual({ cancelled: true, persisted: null });
    await chat.provider.waitForRequest(({ state }) => state === 'client-closed');
  });

  it('while its compaction runs ends that too, and the session is free', async () => {
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
