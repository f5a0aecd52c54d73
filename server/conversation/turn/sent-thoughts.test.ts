import { describe, expect, it } from 'vitest';
import { say } from '#tests/support/chat-client';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { startOpenRouterChat } from '#tests/support/openrouter-chat';
import type { RecordedRequest } from '#tests/support/request-log';

const look = (thought: string): FakeResponse => ({
  reasoning: thought,
  toolCalls: [{ id: 'c', name: 'list_content', input: { type: 'page' } }],
});

/** Thoughts of a request, in the order of its messages. */
const thoughtsIn = ({ messages }: Pick<RecordedRequest, 'messages'>) =>
  messages.flatMap((message) => (message as { reasoning_content?: string }).reasoning_content ?? []);

describe('thoughts of a model on an OpenAI-compatible server', () => {
  const answers = [look('First.'), look('Second.'), { reasoning: 'Third.', text: 'Four.' }, { text: 'Yes.' }];

  it('go back within the running tool loop, and no further', async () => {
    await using chat = await startOpenRouterChat(answers, { model: 'local/thinker' });
    await say(chat.services, chat.session.id, 'How many pages are there?');
    await say(chat.services, chat.session.id, 'Sure?');
    expect(chat.steps().map(thoughtsIn)).toEqual([[], ['First.'], ['First.', 'Second.'], []]);
  });

  it('count only where they are sent', async () => {
    const long = Array.from({ length: 300 }, (_, index) => `I think about page ${index}. `).join('');
    const usage = { promptTokens: 6_000, completionTokens: 1_700 };
    const talk = [
      { ...look(long), usage },
      { ...look('Hm.'), usage: null },
      { text: 'Four.', usage: null },
    ];
    await using chat = await startOpenRouterChat(talk, { model: 'local/thinker' });
    const { breakdown } = (await chat.services.context.inspect(chat.session)).usage;
    expect(breakdown.reasoning).toBe(0);
    await say(chat.services, chat.session.id, 'How many pages are there?');
    const now = (await chat.services.context.inspect(chat.session)).usage;
    expect(now.breakdown.reasoning).toBeGreaterThan(1_000);
    await chat.services.messages.append(chat.session.id, {
      role: 'user',
      parts: [{ type: 'text', content: { text: 'Sure?' } }],
    });
    const after = (await chat.services.context.inspect(chat.session)).usage;
    expect(after.breakdown.reasoning).toBe(0);
    expect(after.currentTokens).toBeLessThan(now.currentTokens - 1_000);
  });

  it('are left out for a server that refuses them, from the first refusal on', async () => {
    const refusal = { error: { status: 400, message: "messages.2: property 'reasoning_content' is unsupported" } };
    let count = 0;
    await using chat = await startOpenRouterChat(
      (request) => (thoughtsIn(request).length > 0 ? refusal : (answers[count++] ?? { text: 'No more.' })),
      { model: 'local/thinker' },
    );
    await say(chat.services, chat.session.id, 'How many pages are there?');
    expect(chat.steps().map(thoughtsIn)).toEqual([[], ['First.'], [], []]);
  });
});
