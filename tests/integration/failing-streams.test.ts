import { expect, it } from 'vitest';
import { answerText, say } from '#tests/support/chat-client';
import { startCompletionsServer } from '#tests/support/completions-server';
import { chunk, type ServerAnswer, saysText, startModelServer, startServerChat } from '#tests/support/model-server';
import { talkBefore } from '#tests/support/openrouter-chat';

/*
 * Streams that begin well and fail. llama-cpp-python 0.3.36 answers a streamed request that it cannot handle with an empty
 * stream, or with comments alone after long work; llama.cpp ends streams that share one context with an error.
 */

const OVERFLOW = {
  error: {
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 9081 tokens (9031 in the messages, 50 in the completion). Please reduce the length of the messages or completion.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};

/*
 * Streams that end before they say anything: the recorded ones; with only the end that web frameworks add to a generator
 * that has failed; with the chunk that names the role, which many servers send before they read the prompt (vLLM,
 * serving_chat.py), and no end.
 */
const NOTHING_SAID: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a ping', ': ping - 2026-11-28 16:36:45.949210+00:00\r\n\r\n'],
  ['an empty line', '\n\n'],
  ['an event without data', 'event: end\n\n'],
  ['only [DONE]', 'data: [DONE]\n\n'],
  ['the role and [DONE]', `${chunk({ role: 'assistant', content: '' })}data: [DONE]\n\n`],
  ['the role and no end', chunk({ role: 'assistant', content: null, tool_calls: [] })],
];

it.each(NOTHING_SAID)('compacts after the error that an empty stream hides: %s', async (_, empty) => {
  await using chat = await startServerChat(
    {
      answer({ messages, stream }) {
        if (JSON.stringify(messages).length < 18_000) return saysText('Here you are.');
        return stream ? { sse: empty } : { status: 400, json: OVERFLOW };
      },
    },
    { env: { CONTEXT_WINDOW: '64000' } },
  );
  await talkBefore(chat, 6_000);
  expect(answerText(await say(chat.services, chat.session.id, 'List the posts'))).toBe('Here you are.');
  expect(await chat.compactions()).toMatchObject([{ trigger: 'provider-overflow', status: 'completed' }]);
  expect(chat.steps().map(({ stream, max_tokens: most }) => (stream ? 'stream' : most))).toEqual([
    'stream',
    1,
    'stream',
  ]);
});

it('says the cause that an empty stream hides', async () => {
  await using chat = await startServerChat({
    answer: ({ stream }) =>
      stream ? { sse: '' } : { status: 401, json: { error: { message: 'The licence of the model has expired.' } } },
  });
  await expect(say(chat.services, chat.session.id, 'Hello?')).rejects.toThrow(/licence of the model/);
});

it('continues to stream after a stream that broke off before its first word', async () => {
  await using chat = await startServerChat({
    answer: ({ stream }, index) => {
      if (index === 0) return { sse: chunk({ role: 'assistant', content: '' }) };
      return stream ? saysText('Here.') : { status: 200, json: { id: 'x', choices: [] } };
    },
  });
  for (const _ of [1, 2]) expect(answerText(await say(chat.services, chat.session.id, 'Hello?'))).toBe('Here.');
  expect(chat.steps().map(({ stream }) => stream)).toEqual([true, false, true, true]);
});

it.each(['', 'data: [DONE]\n\n'])('turns streams off for a model that fills none of them: %j', async (sse) => {
  const whole = (message: object, reason = 'stop'): ServerAnswer => ({
    status: 200,
    json: { id: 'x', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }] },
  });
  const call = { id: 'a', type: 'function', function: { name: 'list_content', arguments: '{"type":"page"}' } };
  await using chat = await startServerChat({
    answer({ stream, messages }) {
      if (stream) return { sse };
      return messages.at(-1)!.role === 'tool'
        ? whole({ content: 'Two pages.' })
        : whole({ content: null, tool_calls: [call] }, 'tool_calls');
    },
  });
  expect(answerText(await say(chat.services, chat.session.id, 'Which pages?'))).toBe('Two pages.');
  expect(chat.steps().map(({ stream }) => stream)).toEqual([true, false, false, false]);
});

const TOO_BIG = 'Input prompt is too big compared to KV size. Please try increasing KV size.';
/** The end of a stream whose context was shared with another answer. */
const EXCEEDED: Readonly<Record<string, string>> = {
  'llama.cpp (recorded)':
    'data: {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}\n\n',
  // Older versions: server.cpp, `send_error` and `server_sent_event(sink, "error", ...)`.
  'an older llama.cpp': `error: {"code":500,"message":"${TOO_BIG}","type":"server_error"}\n\n`,
  'an older llama.cpp, as events': `event: error\ndata: {"code":500,"message":"${TOO_BIG}"}\n\n`,
  // As users quote it in issue trackers.
  'LM Studio': `data: ${JSON.stringify({ error: "Engine protocol predict stream returned an error: {code:500, message:'Context size has been exceeded'}" })}\n\n`,
};

const sharedCases = Object.entries(EXCEEDED).flatMap(([name, exceeded]) => [
  [`${name}, before anything was said`, exceeded] as const,
  [`${name}, after text`, chunk({ role: 'assistant', content: 'The' }) + exceeded] as const,
]);

/** Answers of a server that ends two concurrent answers in this way, and each later one well. */
function sharedContext(sse: string) {
  const both = Promise.withResolvers<void>();
  const seen = { open: 0, most: 0 };
  const answer = async (_body: unknown, index: number): Promise<ServerAnswer> => {
    seen.open += 1;
    if (index === 1) both.resolve();
    // The first two run concurrently; each later one has to be alone.
    if (index < 2) await both.promise;
    else seen.most = Math.max(seen.most, seen.open);
    await new Promise((resolve) => setImmediate(resolve));
    seen.open -= 1;
    return index < 2 ? { sse } : saysText(' page is there.');
  };
  return { seen, answer };
}

it.each(sharedCases)('repeats an answer that shared its context: %s', async (_, sse) => {
  const { seen, answer } = sharedContext(sse);
  await using chat = await startServerChat({ answer });
  const { services } = chat;
  const other = await services.sessions.create({ ownerId: 'own_local' });
  const answers = await Promise.all([say(services, chat.session.id, 'One?'), say(services, other.id, 'Two?')]);
  for (const said of answers) expect(answerText(said)).toMatch(/page is there\.$/);
  expect(seen.most).toBe(1);
  for (const { id } of [chat.session, other]) expect(await services.compactions.list(id)).toEqual([]);
});

it('does the same over /v1', async () => {
  const { seen, answer } = sharedContext(sharedCases[0]![1]);
  await using model = await startModelServer({ answer });
  await using ours = await startCompletionsServer({
    respond: () => ({ text: '' }),
    env: { OPENAI_COMPATIBLE_BASE_URL: model.baseUrl },
  });
  const ask = (content: string) =>
    ours.openai.chat.completions.create({ model: 'local/m', messages: [{ role: 'user', content }] });
  for (const { choices } of await Promise.all([ask('One?'), ask('Two?')])) {
    expect(choices[0]?.message.content).toMatch(/page is there\.$/);
  }
  expect(seen.most).toBe(1);
  expect(model.bodies).toHaveLength(4);
});

it.each(['Context size has been exceeded.', TOO_BIG])(
  'compacts after %j of a server that answered no other request',
  async (message) => {
    await using chat = await startServerChat(
      {
        answer: ({ messages }) =>
          JSON.stringify(messages).length < 18_000
            ? saysText('Here you are.')
            : {
                status: 500,
                json: { error: { code: 500, message, type: 'server_error' } },
              },
      },
      { env: { CONTEXT_WINDOW: '64000' } },
    );
    await talkBefore(chat, 6_000);
    expect(answerText(await say(chat.services, chat.session.id, 'List the posts'))).toBe('Here you are.');
    expect(await chat.compactions()).toHaveLength(1);
  },
);
