import { describe, expect, it } from 'vitest';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { say } from '#tests/support/chat-client';
import { editingRequests } from '#tests/support/editing-requests';
import type { FakeAnswer } from '#tests/support/openrouter-wire';
import { type OpenRouterChat, startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import type { RecordedRequest } from '#tests/support/request-log';
import { respondWithModel } from '#tests/support/respond-with-model';
import { continuesConversation, isSummaryRequest, quotesConversation } from '#tests/support/summary-requests';

const ANTHROPIC = 'anthropic/claude-sonnet-4.5';
const think = respondWithModel(createOfflineModel());

/** Where the provider is allowed to cache: the role of each marked message. */
function marks({ messages }: RecordedRequest): { index: number; role: string }[] {
  return messages.flatMap((message, index) =>
    JSON.stringify(message).includes('"cache_control"') ? [{ index, role: message.role }] : [],
  );
}

/** A request as its provider reads it, so that two can be compared: without marks, a lone text as such. */
function plainMessages({ messages }: RecordedRequest): string[] {
  return messages.map((message) => {
    const { cache_control: _, ...rest } = message as typeof message & { cache_control?: unknown };
    if (!Array.isArray(message.content)) return JSON.stringify(rest);
    const parts = (message.content as { text?: string; cache_control?: unknown }[]).map(
      ({ cache_control: __, ...part }) => part,
    );
    const content = parts.length === 1 && parts[0]?.text !== undefined ? parts[0].text : parts;
    return JSON.stringify({ ...rest, content });
  });
}

const twoCalls: FakeAnswer = {
  toolCalls: [
    { id: 'c1', name: 'list_content', input: { type: 'page' } },
    { id: 'c2', name: 'list_content', input: { type: 'post' } },
  ],
};

describe('the prefix of a request', () => {
  // With the marks of Anthropic, which no other model gets.
  it('equals the previous request byte for byte, except after a compaction, prune or load', async () => {
    await using chat = await startOpenRouterChat(
      (request, index) => (isSummaryRequest(request) ? { text: summaryText } : think(request, index)),
      { model: ANTHROPIC },
    );
    for (const { text } of editingRequests(40, 5)) await say(chat.services, chat.session.id, text);

    const steps = chat.steps();
    expect(steps.length).toBeGreaterThan(70);
    // In this window a tool that is rarely used is offered from its first call on.
    const offered = steps.map(({ tools }) => JSON.stringify(tools));
    const loads = offered.slice(1).filter((tools, index) => tools !== offered[index]);
    expect(loads.length).toBeLessThan(3);
    const breaks = steps.slice(1).filter((request, index) => !continues(steps[index]!, request));
    const changes = await changesOf(chat);
    expect(changes.length).toBeGreaterThan(0);
    expect(breaks.length).toBeLessThanOrEqual(changes.length);
    for (const request of breaks) {
      const former = steps[steps.indexOf(request) - 1]!;
      expect(changes.some((at) => at >= former.receivedAt && at <= request.receivedAt)).toBe(true);
    }
    // A cache that is lost every few steps saves nothing.
    expect(breaks.length).toBeLessThan(steps.length / 10);
  });
});

describe('a summary by the model of the conversation', () => {
  /** Requests of text alone, until the window is full. */
  async function talkUntilCompacted(chat: OpenRouterChat): Promise<void> {
    await talkBefore(chat, 5_000);
    const isCompacted = async () => (await chat.services.sessions.get(chat.session.id)).compactionCount > 0;
    for (let count = 1; !(await isCompacted()); count += 1)
      await say(chat.services, chat.session.id, `Story ${count}: ${'the kiln was warm. '.repeat(90)}`);
  }

  it.each([ANTHROPIC, 'openai/gpt-4o'])('is served from the cache by at least 85 % (%s)', async (model) => {
    await using chat = await startOpenRouterChat(
      (request) => (isSummaryRequest(request) ? { text: summaryText } : { text: 'Noted.' }),
      { model },
    );
    await talkUntilCompacted(chat);

    const { requests } = chat.provider;
    const summary = requests.find(isSummaryRequest)!;
    const former = requests[summary.index - 1]!;
    expect(summary.tools).toEqual(former.tools);
    expect(summary.body.tool_choice).toEqual(former.body.tool_choice);
    // Both providers cache the tools, then the messages up to a marked one (Anthropic) or all that are equal (OpenAI).
    const cacheable = model === ANTHROPIC ? former.messages.slice(0, marks(former).at(-1)!.index + 1) : former.messages;
    const cached = plainMessages({ ...former, messages: cacheable });
    const sent = plainMessages(summary);
    const shared = sent.filter((message, index) => message === cached[index]);
    const tools = JSON.stringify(summary.tools).length;
    expect((tools + shared.join('').length) / (tools + sent.join('').length)).toBeGreaterThanOrEqual(0.85);
    expect((await chat.services.compactions.list(chat.session.id))[0]).toMatchObject({ modelId: model, error: null });
  });

  it('has the tools and instructions of a turn whose sender may only chat', async () => {
    await using chat = await startOpenRouterChat(
      (request) => ({ text: isSummaryRequest(request) ? summaryText : 'Noted.' }),
      { env: { CONTEXT_BACKGROUND_SUMMARIES: 'true' } },
    );
    await talkBefore(chat, 3_000);
    for (let count = 1; !chat.provider.requests.some(continuesConversation); count += 1) {
      await say(chat.services, chat.session.id, `Story ${count}: ${'the kiln was warm. '.repeat(90)}`, undefined, [
        'chat',
      ]);
    }
    const summary = chat.provider.requests.find(continuesConversation)!;
    const former = chat.provider.requests[summary.index - 1]!;
    expect(summary.tools).toEqual(former.tools);
    expect(summary.messages[0]).toEqual(former.messages[0]);
  });

  it('quotes the conversation if the model answered with a call instead of notes', async () => {
    await using chat = await startOpenRouterChat((request) => {
      if (continuesConversation(request)) return twoCalls;
      return { text: isSummaryRequest(request) ? summaryText : 'Noted.' };
    });
    await talkUntilCompacted(chat);

    const asked = chat.provider.requests.filter(isSummaryRequest);
    expect(asked.map(quotesConversation)).toEqual([false, true]);
    const { items } = await chat.services.messages.list(chat.session.id, { limit: 1_000 });
    expect(items.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool-call')).toEqual([]);
    expect((await chat.services.compactions.list(chat.session.id))[0]).toMatchObject({ status: 'completed' });
  });

  it('quotes the conversation for another model than its own', async () => {
    await using chat = await startOpenRouterChat(
      (request) => ({ text: isSummaryRequest(request) ? summaryText : 'Noted.' }),
      { env: { COMPACTION_MODEL: 'openai/gpt-4o-mini' } },
    );
    await talkUntilCompacted(chat);
    expect(chat.provider.requests.filter(isSummaryRequest).map(quotesConversation)).toEqual([true]);
  });
});

describe('the figures of a context', () => {
  it('give the cached share of the newest request, and the cost of the step', async () => {
    const usage = { promptTokens: 4_000, completionTokens: 10, cachedTokens: 3_000, cost: 0.0125 };
    await using chat = await startOpenRouterChat([{ text: 'Hello.', usage }], { model: ANTHROPIC });
    const before = await chat.services.context.inspect(chat.session);
    expect(before.usage).toMatchObject({ cachedShare: null, cost: { lastStep: null, total: null } });
    await say(chat.services, chat.session.id, 'Hello');
    const { usage: after } = await chat.services.context.inspect(chat.session);
    expect(after).toMatchObject({ cachedShare: 0.75, cost: { lastStep: 0.0125, total: 0.0125 } });
  });
});

function continues(former: RecordedRequest, request: RecordedRequest): boolean {
  const before = plainMessages(former);
  const now = plainMessages(request);
  return before.every((message, index) => message === now[index]);
}

/** When the view was changed, epoch milliseconds. */
async function changesOf({ services, session }: OpenRouterChat): Promise<number[]> {
  const records = await services.compactions.list(session.id);
  return records.filter(({ status }) => status === 'completed').map(({ createdAt }) => createdAt);
}
